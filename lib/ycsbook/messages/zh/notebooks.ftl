### 报告各部分之外，笔记本所展示的内容。

part-nothing = 此处无内容：这些运行没有相应的数据
findings-every = 逐条列出 { $n } 条发现
compared-workload = 读写比例
compared-basis = 依据
compared-ratio = 比值
compared-p = p（校正后）
compared-differs = 其他差异
