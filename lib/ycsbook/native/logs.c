/* Figures out of the text of logs: status lines and summaries as YCSB's current releases print them.
 *
 * Whatever deviates in any way is left to the exact readers in Python (log/status.py, readers/ycsb.py), whose figures
 * these are to the last digit: tests compare the two. Nothing is read outside the text that is given, whatever is in
 * it, and nothing is written beyond the sizes that the caller computes from LEAST_LINE and LEAST_DETAIL.
 */
#define _DEFAULT_SOURCE /* for st_mtim and dirfd */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

#define VERSION 3

#define MAX_LINE (64 * 1024)
#define MAX_NAME 80
#define MAX_NAMES 256
#define MAX_DETAILS 64
/* On average a line takes more than this, and an operation in its brackets more than that. */
#define LEAST_LINE 16
#define LEAST_DETAIL 60
/* Of this many lines plus this share of all, each may deviate: the exact reader is not slower on a whole region. */
#define MAX_ODD 8
#define MAX_ODD_SHARE 0.1
#define MS_PER_DAY 86400000
/* Digits that a double holds exactly, whatever they are. */
#define EXACT_DIGITS 15

typedef struct {
    int64_t count;
    uint8_t size[MAX_NAMES];
    uint8_t next[MAX_NAMES]; /* the name that stood behind it last */
    char text[MAX_NAMES][MAX_NAME];
} names;

/* Arrays of the caller; `line`, `at_ms`, `elapsed_s` and `operations` have an element per line, `owner` (index of the
 * line) and what follows one per operation in brackets. `odd` holds the indices of lines to be read in Python, which
 * are `odd_size` bytes from `odd_start` in their text. */
typedef struct {
    int64_t lines, details, odds;
    int64_t *at_ms;
    double *elapsed_s, *operations;
    int64_t *line;
    int64_t *owner, *name;
    double *count, *mean_us, *max_us, *p99_us;
    int64_t *odd, *odd_start, *odd_size;
    names *names;
    /* How lines begin that tell nothing of the run, the last one NULL. */
    const char *const *passed_over;
} status_lines;

static const double POWER[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};

int64_t ycsbook_version(void) { return VERSION; }

/* -- numbers and labels: each returns what is behind it, NULL where it is not there -- */

static inline bool is_digit(char c) { return (unsigned char)(c - '0') < 10; }

static inline const char *label(const char *at, const char *end, const char *text, size_t size) {
    return (size_t)(end - at) >= size && memcmp(at, text, size) == 0 ? at + size : NULL;
}
#define LABEL(at, end, text) label(at, end, text, sizeof(text) - 1)

/* An integer of one to `most` digits, at most 19. */
static inline const char *integer(const char *at, const char *end, int most, uint64_t *value) {
    const char *start = at;
    uint64_t found = 0;
    for (; at < end && is_digit(*at); at++)
        found = found * 10 + (uint64_t)(*at - '0');
    if (at == start || at - start > most)
        return NULL;
    *value = found;
    return at;
}

static inline const char *labelled(const char *at, const char *end, const char *text, size_t size, double *value) {
    uint64_t found;
    if (!(at = label(at, end, text, size)) || !(at = integer(at, end, 19, &found)))
        return NULL;
    *value = (double)found;
    return at;
}
#define LABELLED(at, end, text, value) labelled(at, end, text, sizeof(text) - 1, value)

/* A mean, with at most nine digits before the point or decimal comma and six behind it, so that one division rounds it
 * once; or what is printed where there is none. */
static inline const char *mean(const char *at, const char *end, double *value) {
    const char *start = at;
    uint64_t found = 0;
    for (; at < end && is_digit(*at); at++)
        found = found * 10 + (uint64_t)(*at - '0');
    if (at == start) {
        *value = NAN;
        const char *behind = LABEL(at, end, "NaN");
        behind = behind ? behind : LABEL(at, end, "\xef\xbf\xbd");
        behind = behind ? behind : LABEL(at, end, "?");
        return behind ? behind : at;
    }
    if (at - start > 9)
        return NULL;
    int digits = 0;
    /* After a comma that separates there is a blank. */
    if (end - at > 1 && (*at == '.' || *at == ',') && is_digit(at[1])) {
        const char *point = at++;
        for (; at < end && is_digit(*at) && at - point <= 6; at++)
            found = found * 10 + (uint64_t)(*at - '0');
        if (at < end && is_digit(*at))
            return NULL;
        digits = (int)(at - point) - 1;
    }
    *value = (double)found / POWER[digits];
    return at;
}

/* -- status lines -- */

static inline int two(const char *at) { return (at[0] - '0') * 10 + (at[1] - '0'); }

/* Midnight of a date in ms since 1970; false where there is no such day. The days of the civil calendar are counted in
 * eras of 400 years, years from March. */
static bool midnight_ms(const char *date, int64_t *ms) {
    static const int DAYS[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int year = two(date) * 100 + two(date + 2), month = two(date + 5), day = two(date + 8);
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    if (year < 1 || month < 1 || month > 12 || day < 1 || day > DAYS[month - 1] + (month == 2 && leap))
        return false;
    int64_t from_march = year - (month <= 2), era = from_march / 400, of_era = from_march % 400;
    int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    int64_t days = era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
    *ms = days * MS_PER_DAY;
    return true;
}

typedef struct {
    char date[10];
    int64_t ms;
} day;

/* `2026-11-21 08:47:06:208 `. Neighbours have the same date as a rule, so it is computed where it changes. */
static inline const char *stamp(const char *at, const char *end, day *known, int64_t *at_ms) {
    static const char SHAPE[] = "0000-00-00 00:00:00:000 ";
    const size_t size = sizeof SHAPE - 1;
    if ((size_t)(end - at) < size)
        return NULL;
    for (size_t i = 0; i < size; i++)
        if (SHAPE[i] == '0' ? !is_digit(at[i]) : at[i] != SHAPE[i])
            return NULL;
    int hour = two(at + 11), minute = two(at + 14), second = two(at + 17);
    if (hour > 23 || minute > 59 || second > 59)
        return NULL;
    if (memcmp(known->date, at, sizeof known->date) != 0) {
        if (!midnight_ms(at, &known->ms))
            return NULL;
        memcpy(known->date, at, sizeof known->date);
    }
    *at_ms = known->ms + ((hour * 60 + minute) * 60 + second) * 1000 + (at[20] - '0') * 100 + two(at + 21);
    return at + size;
}

static inline bool is_of_name(unsigned char c) {
    return c > ' ' && c < 0x7f && c != ':' && c != '=' && c != ',' && c != '[' && c != ']';
}

/* The code of a name, which is a new one as a rule only in the first line; -1 where there is no room for it. */
static inline int64_t code_of(names *known, const char *name, size_t size, int64_t previous) {
    if (previous >= 0) {
        int64_t guess = known->next[previous];
        if (guess < known->count && known->size[guess] == size && memcmp(known->text[guess], name, size) == 0)
            return guess;
    }
    int64_t code = 0;
    while (code < known->count && (known->size[code] != size || memcmp(known->text[code], name, size) != 0))
        code++;
    if (code == MAX_NAMES)
        return -1;
    if (code == known->count) {
        memcpy(known->text[code], name, size);
        known->size[code] = (uint8_t)size;
        known->count++;
    }
    if (previous >= 0)
        known->next[previous] = (uint8_t)code;
    return code;
}

/* `[READ: Count=1415, Max=94399, Min=558, Avg=4188.8, 90=7443, 99=16607, 99.9=93439, 99.99=94399]`, from its bracket;
 * releases after 0.17 print the median too. */
static inline const char *detail(const char *at, const char *end, status_lines *out, int64_t *previous) {
    const char *name = ++at;
    double count, highest, average, p99, other;
    while (at < end && at - name <= MAX_NAME && is_of_name((unsigned char)*at))
        at++;
    size_t size = (size_t)(at - name);
    if (size < 1 || size > MAX_NAME || !(at = LABELLED(at, end, ": Count=", &count)) ||
        !(at = LABELLED(at, end, ", Max=", &highest)) || !(at = LABELLED(at, end, ", Min=", &other)) ||
        !(at = LABEL(at, end, ", Avg=")) || !(at = mean(at, end, &average)))
        return NULL;
    if (LABEL(at, end, ", 50=") && !(at = LABELLED(at, end, ", 50=", &other)))
        return NULL;
    if (!(at = LABELLED(at, end, ", 90=", &other)) || !(at = LABELLED(at, end, ", 99=", &p99)) ||
        !(at = LABELLED(at, end, ", 99.9=", &other)) || !(at = LABELLED(at, end, ", 99.99=", &other)) ||
        !(at = LABEL(at, end, "]")))
        return NULL;
    int64_t code = code_of(out->names, name, size, *previous), i = out->details;
    if (code < 0)
        return NULL;
    *previous = code;
    out->owner[i] = out->lines;
    out->name[i] = code;
    out->count[i] = count;
    out->mean_us[i] = count == 0 ? NAN : average;
    out->max_us[i] = count == 0 ? NAN : highest;
    out->p99_us[i] = count == 0 ? NAN : p99;
    out->details++;
    return at;
}

/* One line; what is behind it, NULL where it is not as expected. */
static inline const char *status_line(const char *at, const char *end, status_lines *out, day *known) {
    uint64_t elapsed, operations;
    int64_t i = out->lines, first = out->details, previous = -1;
    if (!(at = stamp(at, end, known, &out->at_ms[i])) || !(at = integer(at, end, 10, &elapsed)) ||
        !(at = LABEL(at, end, " sec: ")) || !(at = integer(at, end, 18, &operations)) ||
        !(at = LABEL(at, end, " operations;")))
        return NULL;
    out->elapsed_s[i] = (double)elapsed;
    out->operations[i] = (double)operations;
    for (;;) {
        while (*at != '[' && *at != '\n')
            at++;
        if (*at == '\n')
            return at + 1;
        if (out->details - first == MAX_DETAILS || !(at = detail(at, end, out, &previous)))
            return NULL;
    }
}

static bool is_passed_over(const char *at, const char *end, const char *const *beginnings) {
    for (; *beginnings; beginnings++)
        if (label(at, end, *beginnings, strlen(*beginnings)))
            return true;
    return false;
}

/* Ends with a line's end, and holds no NUL and no carriage return but before one. */
static bool is_whole(const char *text, int64_t size) {
    if (size == 0 || text[size - 1] != '\n' || memchr(text, 0, (size_t)size))
        return false;
    const char *end = text + size;
    for (const char *at = text; (at = memchr(at, '\r', (size_t)(end - at))); at++)
        if (at[1] != '\n')
            return false;
    return true;
}

/* A stretch of a text, and in it a gap, which may be empty, of lines that are passed over whatever they are. */
typedef struct {
    int64_t start, gap_start, gap_stop, stop;
} stretch;

static int64_t line_ends(const char *at, const char *end) {
    int64_t found = 0;
    for (; (at = memchr(at, '\n', (size_t)(end - at))); at++)
        found++;
    return found;
}

/* The lines of a region, how many of the file they are, without those in the gap, into `counted`; false where they are
 * not regular. */
static bool region(const char *text, stretch within, int64_t first_line, status_lines *out, day *known,
                   int64_t *counted) {
    const char *at = text + within.start, *end = text + within.stop;
    const char *gap = within.gap_start < within.gap_stop ? text + within.gap_start : NULL;
    int64_t first = out->lines, first_odd = out->odds, line = first_line, skipped = 0, size = within.stop - within.start;
    double elapsed_s = 0, operations = 0;
    if (!is_whole(at, size))
        return false;
    while (at < end) {
        if (at == gap) {
            skipped = line_ends(gap, text + within.gap_stop);
            line += skipped;
            at = text + within.gap_stop;
            continue;
        }
        int64_t details = out->details, i = out->lines;
        if (line - first_line - skipped >= size / LEAST_LINE)
            return false;
        const char *next = status_line(at, end, out, known);
        if (next) {
            if (next - at >= MAX_LINE)
                return false;
            /* With odd lines between, the caller compares. */
            if (out->odds == first_odd && (out->elapsed_s[i] < elapsed_s || out->operations[i] < operations))
                return false;
            elapsed_s = out->elapsed_s[i];
            operations = out->operations[i];
        } else {
            out->details = details;
            next = (const char *)memchr(at, '\n', (size_t)(end - at)) + 1;
            if (next - at >= MAX_LINE)
                return false;
            if (is_passed_over(at, end, out->passed_over)) {
                if (i == first)
                    return false;
                at = next;
                line++;
                continue;
            }
            out->odd[out->odds] = i;
            out->odd_start[out->odds] = at - text;
            out->odd_size[out->odds] = next - at - 1;
            out->odds++;
        }
        out->line[i] = line++;
        out->lines++;
        at = next;
    }
    *counted = line - first_line - skipped;
    return (double)(out->odds - first_odd) <= MAX_ODD + MAX_ODD_SHARE * (double)(out->lines - first);
}

/* Read regions of whole lines one after the other: how many lines each has given into `lines`, -1 where it is left to
 * the exact reader, and how many of its file's lines it has into `counted`. */
void ycsbook_status(const char *const *texts, const stretch *within, const int64_t *first_lines, int64_t regions,
                    status_lines *out, int64_t *lines, int64_t *counted) {
    day known = {{0}, 0};
    for (int64_t i = 0; i < regions; i++) {
        int64_t before = out->lines, details = out->details, odds = out->odds;
        counted[i] = 0;
        if (region(texts[i], within[i], first_lines[i], out, &known, &counted[i])) {
            lines[i] = out->lines - before;
        } else {
            out->lines = before;
            out->details = details;
            out->odds = odds;
            counted[i] = 0;
            lines[i] = -1;
        }
    }
}

/* -- summaries -- */

/* The numbers of many summaries, and what stands before them. `keys`: the text of each without its numbers, the end of
 * each in `key_ends`. `long_at`, `long_start` and `long_size`: numbers of more digits than EXACT_DIGITS, by their place
 * among the values and in their text. */
typedef struct {
    int64_t values, longs;
    double *value;
    char *keys;
    int64_t *key_ends;
    int64_t *long_at, *long_start, *long_size;
} summaries;

/* What is behind the next `, ` of a line; NULL where there is none. */
static inline const char *comma(const char *at, const char *end) {
    for (; at + 1 < end && *at != '\n'; at++)
        if (at[0] == ',' && at[1] == ' ')
            return at + 2;
    return NULL;
}

static bool summary(const char *text, int64_t size, summaries *out, char **key) {
    const char *at = text, *end = text + size;
    if (size == 0 || text[size - 1] != '\n')
        return false;
    while (at < end) {
        const char *line = at, *start;
        if (!(at = comma(at, end)) || !(at = comma(at, end)))
            return false;
        start = at;
        memcpy(*key, line, (size_t)(start - line));
        *key += start - line;
        *(*key)++ = '\n';
        uint64_t found = 0;
        int64_t digits = 0, point = -1;
        for (; *at != '\n'; at++) {
            if (is_digit(*at)) {
                found = found * 10 + (uint64_t)(*at - '0');
                digits++;
            } else if (*at == '.' && point < 0 && digits && is_digit(at[1])) {
                point = digits;
            } else {
                return false;
            }
        }
        if (!digits)
            return false;
        if (digits > EXACT_DIGITS) {
            out->long_at[out->longs] = out->values;
            out->long_start[out->longs] = start - text;
            out->long_size[out->longs] = at - start;
            out->longs++;
            found = 0;
        }
        int64_t behind = point < 0 || digits > EXACT_DIGITS ? 0 : digits - point;
        out->value[out->values++] = (double)found / POWER[behind];
        at++;
    }
    return true;
}

/* Read summaries one after the other: how many values each has given into `counts`, -1 where a line is not of the form
 * `[OPERATION], metric, number`. Of the long numbers of each there are `longs`. */
void ycsbook_summaries(const char *const *texts, const int64_t *sizes, int64_t n, summaries *out, int64_t *counts,
                       int64_t *longs) {
    char *key = out->keys;
    for (int64_t i = 0; i < n; i++) {
        int64_t values = out->values, before = out->longs;
        char *start = key;
        if (summary(texts[i], sizes[i], out, &key)) {
            counts[i] = out->values - values;
        } else {
            out->values = values;
            out->longs = before;
            key = start;
            counts[i] = -1;
        }
        longs[i] = out->longs - before;
        out->key_ends[i] = key - out->keys;
    }
}

/* -- folders -- */

#define NOT_ENOUGH_ROOM (-1000000)

static char *put(char *at, char kind, const char *name, size_t size, const struct stat *told) {
#ifdef __APPLE__
    struct timespec changed = told->st_mtimespec, touched = told->st_ctimespec;
#else
    struct timespec changed = told->st_mtim, touched = told->st_ctim;
#endif
    int64_t figures[] = {(int64_t)told->st_size, (int64_t)changed.tv_sec * 1000000000 + changed.tv_nsec,
                         (int64_t)touched.tv_sec * 1000000000 + touched.tv_nsec};
    *at++ = kind;
    memcpy(at, name, size + 1);
    memcpy(at + size + 1, figures, sizeof figures);
    return at + size + 1 + sizeof figures;
}

/* List a folder into `out`, `size` bytes long: of each file, subfolder and link that is not hidden its kind (one of
 * f, d, l), its name, NUL, and as int64 its size, when its content was changed and when anything of it was, in ns (0
 * of a folder; those of a link itself). Returns the bytes written, NOT_ENOUGH_ROOM, or the error as a number below 0. */
int64_t ycsbook_list(const char *folder, char *out, int64_t size) {
    char *at = out, *end = out + size;
    DIR *listing = opendir(folder);
    if (!listing)
        return -errno;
    for (;;) {
        struct stat told;
        errno = 0;
        const struct dirent *entry = readdir(listing);
        if (!entry)
            break;
        const char *name = entry->d_name;
        if (*name == '.')
            continue;
        if (fstatat(dirfd(listing), name, &told, AT_SYMLINK_NOFOLLOW) != 0) {
            if (errno == ENOENT) /* gone since */
                continue;
            break;
        }
        char kind = S_ISREG(told.st_mode) ? 'f' : S_ISDIR(told.st_mode) ? 'd' : S_ISLNK(told.st_mode) ? 'l' : 0;
        if (!kind)
            continue;
        size_t length = strlen(name);
        if ((size_t)(end - at) < length + 2 + 3 * sizeof(int64_t)) {
            closedir(listing);
            return NOT_ENOUGH_ROOM;
        }
        if (kind == 'd')
            memset(&told, 0, sizeof told);
        at = put(at, kind, name, length, &told);
    }
    int error = errno;
    closedir(listing);
    return error ? -error : at - out;
}

/* Two sums (FNV-1a and one that turns) that tell whether a text is the same as before; none against ill will. */
void ycsbook_sums(const unsigned char *text, int64_t size, uint64_t sums[2]) {
    uint64_t a = 0xcbf29ce484222325u, b = 0x9e3779b97f4a7c15u;
    for (int64_t i = 0; i < size; i++) {
        a = (a ^ text[i]) * 0x100000001b3u;
        b = ((b << 7 | b >> 57) + text[i]) * 0xff51afd7ed558ccdu;
    }
    sums[0] = a;
    sums[1] = b;
}
