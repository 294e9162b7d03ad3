"""The words that pictures hold beside names from the data, by language."""

from collections.abc import Mapping
from types import MappingProxyType

from ycsbook.plots import style

WORDS_EN: Mapping[str, str] = MappingProxyType({})
WORDS_ZH: Mapping[str, str] = MappingProxyType(
    {
        "cores (log scale)": "核数（对数刻度）",
        "throughput (ops/s)": "吞吐量（ops/s）",
        "latency (ms, log scale)": "延迟（ms，对数刻度）",
        "percentile": "百分位",
        "time since start (s)": "运行时间（s）",
        "beyond the law": "偏离模型",
        "warm-up": "预热",
        "stalled": "停顿",
        "measured": "实测",
        "published": "公布",
        "flagged": "被标记",
        "gain": "提升",
        "loss": "下降",
        "flagged loss": "被标记的下降",
        "linear": "线性",
        "power": "幂律",
        "amdahl": "Amdahl",
        "usl": "USL",
        "{n} threads": "{n} 线程",
        "{spec}, {threads} thr.": "{spec}，{threads} 线程",
    }
)


def of(lang: str) -> Mapping[str, str]:
    """English text to the text in a language; what is not in it stays as it is.

    Where no font here can draw a language's letters its pictures keep their English words, and the report says so.
    """
    return WORDS_ZH if lang == "zh" and style.cjk_font() else WORDS_EN


def word(words: Mapping[str, str], text: str, **values: object) -> str:
    """A text of a picture in the language of `words`, its places filled.

    Examples
        >>> word(WORDS_ZH, "{n} threads", n="100")
        '100 线程'
        >>> word(WORDS_EN, "{n} threads", n="100")
        '100 threads'
    """
    return words.get(text, text).format(**values)
