"""The words of an index, by language."""

_EN = {
    "title": "Reports",
    "report": "Report", "workload": "Workload", "threads": "Threads", "spec": "On spec",
    "best": "Highest ops/s", "factor": "× per doubling of cores", "date": "Date",
    "trend": "Trend", "before": "Change", "vendor": "in the shape of {profile}", "vendors": "The same figures",
    "figure": "Throughput over cores: {title}",
    "history": "published {n} times",
    "follows": "Each number follows from the tables beside its page; `ycsbook publish --check` derives them again.",
    "alt": "Throughput in ops/s at each publication: {values}", "interval": "{value} ({low} to {high})",
}  # fmt: skip
_ZH = {
    "title": "测试报告",
    "report": "报告", "workload": "负载", "threads": "线程数", "spec": "规格",
    "best": "最高吞吐量（ops/s）", "factor": "核数每翻一倍的倍率", "date": "日期",
    "trend": "趋势", "before": "变化", "vendor": "{profile} 格式", "vendors": "相同数据",
    "figure": "吞吐量与核数：{title}",
    "history": "已发布 {n} 次",
    "follows": "每个数字都由页面旁的表格得出；`ycsbook publish --check` 会重新推导。",
    "alt": "历次发布的吞吐量（ops/s）：{values}", "interval": "{value}（{low} 至 {high}）",
}  # fmt: skip


def of(lang: str) -> dict[str, str]:
    """The words in this language."""
    return _ZH if lang == "zh" else _EN
