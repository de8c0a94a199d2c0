import type { MessageTexts } from '../texts.ts';

/** Chinese, in simplified characters. */
export const texts: MessageTexts = {
  title: '分期付款',
  close: '关闭',
  plan: '贷款机构',
  payment: '每期还款',
  count: '还款期数',
  apr: '年利率',
  interest: '利息',
  total: '还款总额',
  perMonth: '每月{payment}',
  perWeek: '每周{payment}',
  perTwoWeeks: '每两周{payment}',
  perDay: '每天{payment}',
  example: '代表性示例',
  amount: '融资金额',
  last: '最后一期还款',
  questions: '常见问题',
  whatQuestion: '如何运作？',
  whatAnswer: '贷款机构向商店支付您的订单，您按此处显示的期数向贷款机构还款。',
  offerQuestion: '这是最终方案吗？',
  offerAnswer:
    '不是。这些还款额根据贷款机构公布的条款计算。您自己的方案由贷款机构在您申请之后提供，届时由您决定。',
  creditQuestion: '会影响我的信用记录吗？',
  creditAnswer: '这取决于贷款机构。在您同意之前，贷款机构会说明要做哪些查询。',
  disclosures: '贷款机构提供的信息',
  qualify: '查看您是否符合条件',
};
