### 摘要：报告开头的几句话（ycsbook.report.short）。

short = 摘要
short-about = { $about ->
    [cores] 核数
    [threads] 线程
    [doubt] 存疑的数据
    [buy] 选购
   *[unknown] 未知
}
short-growth = { $mix } 在 { threads }下，从 { NUM($first) } 核到 { cores }，核数每翻一倍，吞吐量变为 ×{ SIG($factor) }{ $low ->
    [missing] {""}
   *[other] （95 %：{ SIG($low) } 至 { SIG($high) }）
}{ $middle ->
    [missing] {""}
   *[other] ；{ NUM($middle) } 核以上只有 ×{ SIG($upper) }
}。
short-growth-without = 去掉不可能正确的数据行后为 ×{ SIG($factor) }。
short-ram-rises = 内存随核数一起增加，所以这是两者共同的增长{ $holds ->
    [missing] {""}
   *[other] ；{ $holds }
}。
short-holds = { $spec } 是第一个缓存能放下 { DIGITS($data) } GiB 数据的规格
short-stops = { $mix } 在 { threads }下到 { cores }不再增长：此处 { DIGITS($ops, digits: 3) } ops/s，{ NUM($last) } 核时 { DIGITS($then, digits: 3) }。
short-flat = { $mix } 在 { threads }下从 { NUM($first) } 核到 { cores }一直在 { DIGITS($ops) } ops/s 左右。
short-loss = 从 { NUM($low) } 线程增加到 { threads }，{ CLAUSES($lost) }；这些规格请用 { NUM($low) } 线程。
short-lost = { $mix } 在 { $where ->
    [up] { NUM($first) } 核及以上
    [one] { cores }时
   *[between] { NUM($first) } 至 { cores }之间
}损失 { $least ->
    [missing] {""}
   *[other] { PERCENT($least, digits: 0) } % 至{" "}
}{ PERCENT($most, digits: 0) } %
short-no-loss = 从 { NUM($low) } 线程增加到 { threads }，没有规格损失超过 { PERCENT($most, digits: 0) } %。
short-gain = { threads }使 { $n } 组提高 { PERCENT($least, digits: 0) } % 至 { PERCENT($most, digits: 0) } %{ $beyond ->
    [0] {""}
   *[other] ；其中 { $beyond } 组超过了线程数所能带来的提高
}。
short-gains = 从 { NUM($low) } 线程增加到 { threads }，{ CLAUSES($gained) }。
short-gained = { $mix } 在 { NUM($first) } 核及以上提高 { PERCENT($least, digits: 0) } % 至 { PERCENT($most, digits: 0) } %
short-impossible = { $total } 行中有 { $n } 行不可能正确，请勿据此下结论：{ COMMAS($rows, $rows_more) }。
short-mended = 其中 { $n } 行若恰好{ $higher ->
    [true] 加上
   *[false] 减去
} { FIXED($difference) } 便恢复正常；改动一位数字能修复 { PERCENT($by_throughput, digits: 0) } % 的随机错误，因此仅供参考。
short-contradicted = 另有 { $n } 行与其他行矛盾（等级 D）。
short-buy = 每核吞吐量最高：{ $spec }，{ $mix }，{ threads }，{ DIGITS($ops, digits: 3) } ops/s，以 { PERCENT($part, digits: 0) } % 的核数达到最高值的 { PERCENT($share, digits: 0) } %。
short-unknown = 无从得知：{ CLAUSES($parts) }。
short-unknown-writes = 写入是否成功（write concern 0）
short-unknown-clients = 客户端机器有几台
short-unknown-noise = 再测一次会相差多少
