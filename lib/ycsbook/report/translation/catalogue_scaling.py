"""What fits claim and what limits a point, in Chinese."""

PAIRS: tuple[tuple[str, str], ...] = (
    # verdicts
    ("claimed", "可以采信"),
    ("shown", "仅供展示"),
    ("refused", "未拟合"),
    ("shown: {reason}", "仅供展示：{reason}"),
    ("refused: {reason}", "未拟合：{reason}"),
    ("not identifiable: {reason}", "无法确定：{reason}"),
    ("No law can be fitted: {reason}.", "无法拟合任何模型：{reason}。"),
    ("joint law: {reason}", "联合模型：{reason}"),
    ("the fit did not converge", "拟合未收敛"),
    ("not identifiable: the fit did not converge", "无法确定：拟合未收敛"),
    (
        "some specs have less than one core (a CPU quota), where only the power law and the local elasticities mean "
        "anything",
        "部分规格不足一核（CPU 配额），此时只有幂律模型和局部弹性有意义",
    ),
    (
        "needs at least {#a} distinct {x} and {#b} residual degrees of freedom, here {#n} and {rest}",
        "至少需要 {a} 档{x}和 {b} 个残差自由度，这里分别为 {n} 和 {rest}",
    ),
    (
        "; {#n} more are lower bounds, which something else than the server limited",
        "；另有 {n} 个只是下界，其瓶颈不在服务器",
    ),
    (
        "; {#n} more is a lower bound, which something else than the server limited",
        "；另有 {n} 个只是下界，其瓶颈不在服务器",
    ),
    ("; {#n} more {noun}, which something else than the server limited", "；另有 {n} 个（{noun}），其瓶颈不在服务器"),
    ("is a lower bound", "是下界"),
    ("are lower bounds", "是下界"),
    ("the points rise faster with {x} than this law allows", "数据点随{x}的增长快于该模型所能允许的"),
    (
        "the specs scatter {#share} % around it, so it describes them poorly",
        "各规格围绕它的离散程度达 {share} %，该模型对它们的描述很差",
    ),
    ("two points cannot show a departure from proportional scaling", "两个数据点不足以显示对成比例扩展的偏离"),
    (
        "the points scale with an exponent of {#e} ({#low} to {#high}), not 1",
        "数据点的扩展指数为 {e}（{low} 至 {high}），而不是 1",
    ),
    (
        "sigma's interval ({#low} to {#high}) includes 0: not told apart from proportional scaling",
        "σ 的置信区间（{low} 至 {high}）包含 0：与成比例扩展无法区分",
    ),
    (
        "sigma's interval ({low}) includes 0: not told apart from proportional scaling",
        "σ 的置信区间（{low}）包含 0：与成比例扩展无法区分",
    ),
    (
        "kappa's interval ({#low} to {#high}) includes 0: neither crosstalk nor a peak is shown",
        "κ 的置信区间（{low} 至 {high}）包含 0：既未显示串扰，也未显示峰值",
    ),
    (
        "kappa's interval ({low}) includes 0: neither crosstalk nor a peak is shown",
        "κ 的置信区间（{low}）包含 0：既未显示串扰，也未显示峰值",
    ),
    (
        "its peak, at {#at} {x} ({#low} to {#high}), lies outside the measured {#a} to {#b}",
        "其峰值位于 {at} {x}（{low} 至 {high}），超出实测范围 {a} 至 {b}",
    ),
    (
        "its peak, at {at} {x} ({low} to {high}), lies outside the measured {a} to {b}",
        "其峰值位于 {at} {x}（{low} 至 {high}），超出实测范围 {a} 至 {b}",
    ),
    (
        "at a fixed number of threads throughout, a closed loop's ceiling of threads / response time bends the curve "
        "just as {what} does, and not every point is shown to be saturated",
        "线程数始终固定，闭环的上限“线程数 / 响应时间”会像{what}一样使曲线弯曲，而且并非每个点都已证实饱和",
    ),
    (
        "at {loops} threads throughout, a closed loop's ceiling of threads / response time bends the curve just as "
        "{what} does, and not every point is shown to be saturated",
        "线程数始终为 {loops}，闭环的上限“线程数 / 响应时间”会像{what}一样使曲线弯曲，而且并非每个点都已证实饱和",
    ),
    ("a fixed number of", "固定值"),
    ("contention", "争用"),
    ("crosstalk", "串扰"),
    *(
        (
            "only {#k} of {#n} points, at " + counts + " shown to be the server's own throughput, the others are "
            "lower bounds; it needs {#a} at {#b} distinct cores; measure the larger specs with more threads",
            "{n} 个数据点中只有 {k} 个（" + told + "档核数）证实为服务器自身的吞吐量，其余只是下界；至少需要 {a} 个、"
            "分布于 {b} 档核数；应以更多线程测量较大的规格",
        )
        for counts, told in (
            ("{#c} distinct cores, are", "{c} "),
            ("1 core count, are", "1 "),
            ("1 core count, is", "1 "),
        )
    ),
    ("as for {series}", "与 {series} 相同"),
    ("shown: as for {series}", "仅供展示：与 {series} 相同"),
    ("The points are too few for any law.", "数据点太少，不足以支持任何模型。"),
    ("the curve describes the points, not the server: {reason}", "曲线描述的是数据点，而不是服务器：{reason}"),
    ("{best} describes the points better, but {reason}", "{best}模型更贴合数据点，但{reason}"),
    ("all {#n} points are suspect or inconsistent", "全部 {n} 个数据点均可疑或前后不一致"),
    # sentences
    (
        "From {#a} to {#b} {x} the {law} law gives {#r} times ({#low} to {#high}) the throughput ({terms}); the specs "
        "scatter {#share} % around it{rest}",
        "按{law}模型，{x}从 {a} 增至 {b} 时吞吐量变为 {r} 倍（{low} 至 {high}；参数：{terms}）；"
        "各规格围绕它的离散程度为 {share} %{rest}",
    ),
    (
        "From {#a} to {#b} {x} the {law} law makes throughput proportional to {z} ({terms}); the specs scatter "
        "{#share} % around it{rest}",
        "按{law}模型，{x}从 {a} 增至 {b} 时吞吐量与{z}成正比（参数：{terms}）；各规格围绕它的离散程度为 {share} "
        "%{rest}",
    ),
    (
        "From {#a} to {#b} {x} the {law} law gives {#c} ops/s ({i}) and {#d} ops/s ({j}) ({terms}); the specs scatter "
        "{#share} % around it{rest}",
        "按{law}模型，{x}为 {a} 和 {b} 时吞吐量分别为 {c} ops/s（{i}）和 {d} ops/s（{j}；参数：{terms}）；"
        "各规格围绕它的离散程度为 {share} %{rest}",
    ),
    (
        "From {a} to {b} {x} the {law} law {growth} ({terms}); the specs scatter {share} % around it{rest}",
        "{x}从 {a} 到 {b}，{law}模型{growth}（参数：{terms}）；各规格围绕它的离散程度为 {share} %{rest}",
    ),
    ("makes throughput proportional to {x}", "表明吞吐量与{x}成正比"),
    ("gives {r} times ({low} to {high}) the throughput", "给出 {r} 倍（{low} 至 {high}）的吞吐量"),
    ("gives {a} and {b}", "在两端分别给出 {a} 和 {b}"),
    ("{#value} ops/s ({low} to {high})", "{value} ops/s（{low} 至 {high}）"),
    (".{rest}", "。{rest}"),
    ("; {#n} more points are lower bounds.{rest?}", "；另有 {n} 个数据点只是下界。{rest}"),
    ("; 1 more point is a lower bound.{rest?}", "；另有 1 个数据点只是下界。{rest}"),
    ("; {#n} more points are lower bounds", "；另有 {n} 个数据点只是下界"),
    ("1 more point is a lower bound", "另有 1 个数据点只是下界"),
    ("{#n} more points are lower bounds", "另有 {n} 个数据点只是下界"),
    (" The points do not tell it from {laws}. {rest}", "数据点无法将其与{laws}模型区分开来。{rest}"),
    (" The points do not tell it from {laws}.", "数据点无法将其与{laws}模型区分开来。"),
    (
        " All at {#n} threads: the closed loop's ceiling of threads / response time may bend this too, so it is the "
        "throughput of that many threads, not of the server alone.{rest?}",
        "全部在 {n} 线程下测得：闭环的上限“线程数 / 响应时间”同样可能使曲线弯曲，因此这是该线程数的吞吐量，"
        "而不仅仅是服务器的吞吐量。{rest}",
    ),
    (
        "An exponent above 1 ({low} to {high}) means that each core brings more than the one before it: the larger "
        "specs have more than {x} ahead of the smaller ones, or something else held the small ones back.",
        "指数大于 1（{low} 至 {high}）意味着每增加一核的收益都高于前一核：较大的规格所领先的不只是{x}，"
        "或者较小的规格受到了别的限制。",
    ),
    (
        "An exponent above 1 ({low}) means that each core brings more than the one before it: the larger specs have "
        "more than {x} ahead of the smaller ones, or something else held the small ones back.",
        "指数大于 1（{low}）意味着每增加一核的收益都高于前一核：较大的规格所领先的不只是{x}，"
        "或者较小的规格受到了别的限制。",
    ),
    ("Its peak is at {at} {x} ({low} to {high}).", "其峰值位于 {at} {x}（{low} 至 {high}）。"),
    (" {rest}", "{rest}"),
    (
        "{term} {#estimate} ({#low} to {#high})",
        "{term} {estimate}（{low} 至 {high}）",
    ),
    ("{term} {#estimate} ops/s ({#low} to {#high})", "{term} {estimate} ops/s（{low} 至 {high}）"),
    ("{#low} to {#high}", "{low} 至 {high}"),
    ("cores", "核数"),
    ("linear", "线性"),
    ("power", "幂律"),
    ("amdahl", "Amdahl"),
    ("usl", "USL"),
    ("linear *", "线性 *"),
    ("power *", "幂律 *"),
    ("amdahl *", "Amdahl *"),
    ("usl *", "USL *"),
    ("exponent", "指数"),
    ("lambda", "λ"),
    ("sigma", "σ"),
    ("kappa", "κ"),
    ("lambda at {#value}", "λ 取边界值 {value}"),
    ("exponent at {#value}", "指数 a 取边界值 {value}"),
    ("sigma at {#value}", "σ 取边界值 {value}"),
    ("kappa at {#value}", "κ 取边界值 {value}"),
    (
        "95 % are of the law's mean; the {#n} specs scatter {#share} % around it",
        "95 % 置信区间针对模型的均值；{n} 个规格围绕它的离散程度为 {share} %",
    ),
    (
        "95 % are of the law's mean; the {#n} specs scatter {#share} % around it, {more}",
        "95 % 置信区间针对模型的均值；{n} 个规格围绕它的离散程度为 {share} %，{more}",
    ),
    (
        "95 % are of the law's mean; the {#n} specs scatter {#share} % around",
        "95 % 置信区间针对模型的均值；{n} 个规格的离散程度为 {share} %",
    ),
    ("{about} it", "{about}"),
    (", {#n} more are lower bounds", "，另有 {n} 个只是下界"),
    ("1 more is a lower bound", "另有 1 个只是下界"),
    ("{#n} more are lower bounds", "另有 {n} 个只是下界"),
    # elasticities
    ("means of all specs, RAM differs", "全部规格的平均值，内存不同"),
    ("one spec each, RAM differs", "各一个规格，内存不同"),
    ("both are lower bounds", "二者均为下界"),
    ("the larger is a lower bound", "较大者为下界"),
    ("the smaller is a lower bound", "较小者为下界"),
    ("; both are lower bounds", "；二者均为下界"),
    ("; the larger is a lower bound", "；较大者为下界"),
    ("; the smaller is a lower bound", "；较小者为下界"),
    ("equal RAM: {sizes} GiB; {bounds}", "内存相同：{sizes} GiB；{bounds}"),
    ("equal RAM: {sizes} GiB", "内存相同：{sizes} GiB"),
    ("equal RAM: {sizes} GiB{tail}", "内存相同：{sizes} GiB{tail}"),
    ("equal cores", "核数相同"),
    ("RAM not given", "未给出内存"),
    # limits
    (
        "{#high} threads give {#ratio} times what {#low} give{how?}, so the threads are not the limit; {rest}",
        "{high} 线程的吞吐量是 {low} 线程的 {ratio} 倍{how}，可见瓶颈不在线程数；{rest}",
    ),
    (
        "{#high} threads give {#ratio} times what {#low} give{how?}, so the threads are not the limit; {spec} gives "
        "{#best} times as much{more?} at the same threads: between what shows and what refutes a limit of the server "
        "(1.10 and 1.25)",
        "{high} 线程的吞吐量是 {low} 线程的 {ratio} 倍{how}，可见瓶颈不在线程数；相同线程数下，{spec} "
        "的吞吐量是该规格的 "
        "{best} 倍{more}：介于证实与否定服务器为瓶颈的界限之间（1.10 与 1.25）",
    ),
    (
        "{#high} threads give {#ratio} times what {#low} give{how?}, but no pair of the table gains 25 %, as with a "
        "pool smaller than the threads",
        "{high} 线程的吞吐量是 {low} 线程的 {ratio} 倍{how}，但表中没有任何一对的增幅达到 25 %，"
        "如同连接池小于线程数时那样",
    ),
    (
        "{#high} threads give {#ratio} times what {#low} give{how?}: not shown to be flat (1.10 per doubling), and no "
        "more threads were tried: saturation is not shown",
        "{high} 线程的吞吐量是 {low} 线程的 {ratio} 倍{how}：未证实已经持平（每翻一倍 1.10），也未尝试更多线程，"
        "因此未证实饱和",
    ),
    (
        "{#high} threads give {#ratio} times what {#low} give{how?}: between what shows and what refutes a limit of "
        "the "
        "server (1.10 and 1.25 per doubling of the threads)",
        "{high} 线程的吞吐量是 {low} 线程的 {ratio} 倍{how}：介于证实与否定服务器为瓶颈的界限之间（线程数每翻一倍 "
        "1.10 与 1.25）",
    ),
    (
        "{#high} threads give {#ratio} times what {#low} give{how?}, which is more than the threads grew",
        "{high} 线程的吞吐量是 {low} 线程的 {ratio} 倍{how}，超过了线程数之比",
    ),
    (
        "{#high} threads give {#ratio} times what {#low} give{how?}, although the server's CPU is {#cpu} % busy",
        "{high} 线程的吞吐量是 {low} 线程的 {ratio} 倍{how}，尽管服务器 CPU 利用率已达 {cpu} %",
    ),
    (
        "{#high} threads give {#ratio} times what {#low} give{how?}, and the server's CPU is {#cpu} % busy: too few "
        "threads",
        "{high} 线程的吞吐量是 {low} 线程的 {ratio} 倍{how}，而服务器 CPU 利用率为 {cpu} %：线程太少",
    ),
    (
        "it reaches its target throughput (target_ops_s): the server was asked for no more",
        "已达到目标吞吐量（target_ops_s）：并未要求服务器做得更多",
    ),
    (
        "{#high} threads give {#ratio} times what {#low} give{how?}: too few threads",
        "{high} 线程的吞吐量是 {low} 线程的 {ratio} 倍{how}：线程太少",
    ),
    (
        "{#high} threads give {#ratio} times what {#low} give{how?}",
        "{high} 线程的吞吐量是 {low} 线程的 {ratio} 倍{how}",
    ),
    (
        "the server's CPU is {#cpu} % busy; {#high} threads give {#ratio} times what {#low} give{how?}",
        "服务器 CPU 利用率为 {cpu} %；{high} 线程的吞吐量是 {low} 线程的 {ratio} 倍{how}",
    ),
    ("the server's CPU is {#cpu} % busy", "服务器 CPU 利用率为 {cpu} %"),
    ("the server's CPU is {#cpu} % busy, neither full nor free", "服务器 CPU 利用率为 {cpu} %，既未用满也不空闲"),
    (
        "{spec} gives {#best} times as much{how?} at the same threads",
        "相同线程数下，{spec} 的吞吐量是该规格的 {best} 倍{how}",
    ),
    (
        "{spec} gives {#best} times as much{how?} at the same threads: between what shows and what refutes a limit of "
        "the server (1.10 and 1.25)",
        "相同线程数下，{spec} 的吞吐量是该规格的 {best} 倍{how}：介于证实与否定服务器为瓶颈的界限之间（1.10 与 1.25）",
    ),
    ("between what shows and what refutes a limit of the server", "介于证实与否定服务器为瓶颈的界限之间"),
    (
        "no spec with twice the cores and at least the RAM was measured at the same threads",
        "没有在相同线程数下测量过核数为其两倍、内存不小于它的规格",
    ),
    ("so the threads are not the limit", "可见瓶颈不在线程数"),
    (" (retrograde: fewer threads do more)", "（反降：线程少时反而更快）"),
    (" (95 % interval {#low} to {#high})", "（95 % 置信区间 {low} 至 {high}）"),
    (
        " (95 % interval {#low} to {#high}) (retrograde: fewer threads do more)",
        "（95 % 置信区间 {low} 至 {high}；反降：线程少时反而更快）",
    ),
    (
        "X R / N is {broken} threads, and above 1.05 no closed loop allows it; this row is paired with that one",
        "X R / N 为 {broken}，而闭环不允许超过 1.05；本行与之配对",
    ),
    (
        "X R / N is {broken} threads, and above 1.05 no closed loop allows it{tail?}",
        "X R / N 为 {broken}，而闭环不允许超过 1.05{tail}",
    ),
    (
        "X R / N is {#u} in this row, and above 1.05 no closed loop allows it",
        "本行的 X R / N 为 {u}，而闭环不允许超过 1.05",
    ),
    ("{#u} at {#n}", "{u}（{n} 线程）"),
    ("{#u} at {#n} and {#v} at {#m}", "{u}（{n} 线程）和 {v}（{m} 线程）"),
    ("; this row is paired with that one", "；本行与之配对"),
    ("measured at one thread count only, which shows no limit", "只测了一种线程数，无法看出瓶颈"),
    # the joint law
    ("needs {#n} measured specs, here {#k}", "至少需要 {n} 个实测规格，这里只有 {k} 个"),
    ("the points scatter {#share} % around the joint law", "数据点围绕联合模型的离散程度达 {share} %"),
    ("no ceiling of the threads is seen ({terms} without an interval)", "看不出线程数的上限（{terms} 没有置信区间）"),
    ("the points leave open ({terms} without an interval)", "数据点无法确定（{terms} 没有置信区间）"),
    ("{what} ({terms} without an interval)", "{what}（{terms} 没有置信区间）"),
    ("no ceiling of the threads is seen", "看不出线程数的上限"),
    ("the points leave open", "数据点无法确定"),
    ("the points scatter {#share} % around it.", "数据点围绕它的离散程度为 {share} %。"),
    ("the points scatter {#share} % around it", "数据点围绕它的离散程度为 {share} %"),
    (
        "Over cores and threads together no term of the law is identifiable; {rest}",
        "综合核数与线程数，模型的任何参数都无法确定；{rest}",
    ),
    ("Over cores and threads together: {rest}", "综合核数与线程数：{rest}"),
    ("what one core brings is not identifiable", "单核的贡献无法确定"),
    ("{value} with one core", "单核 {value}"),
    ("the exponent of the growth with cores is not identifiable", "随核数增长的指数无法确定"),
    ("growing with the exponent {value}", "增长指数 {value}"),
    (
        "the time R0 of an idle server, and with it the ceiling of the threads, is not identifiable",
        "空闲服务器的响应时间 R0 以及线程数的上限均无法确定",
    ),
    ("N threads bring at most N / R0 with R0 = {value}", "N 个线程至多达到 N / R0，其中 R0 = {value}"),
)
