### 生成报告时的文字：命令的输出，以及批次末尾的页面。

batch-title = 批量报告
batch-compare = { $command } 可比较{ $n ->
    [2] 二者
   *[other] 其中两个
}。
batch-made = { NUM($reports) } 份报告中已生成 { NUM($made) } 份。
batch-unsuccessful = { NUM($runs) } 次运行未成功；原因见报告
