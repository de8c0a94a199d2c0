import type { MessageTexts } from '../texts.ts';

/** Chinese, in traditional characters. */
export const texts: MessageTexts = {
  title: '分期付款',
  close: '關閉',
  plan: '貸款機構',
  payment: '每期還款',
  count: '還款期數',
  apr: '年利率',
  interest: '利息',
  total: '還款總額',
  perMonth: '每月 {payment}',
  perWeek: '每週 {payment}',
  perTwoWeeks: '每兩週 {payment}',
  perDay: '每天 {payment}',
  example: '代表性範例',
  amount: '融資金額',
  last: '最後一期還款',
  questions: '常見問題',
  whatQuestion: '如何運作？',
  whatAnswer: '貸款機構向商店支付您的訂單，您再依此處顯示的期數向貸款機構還款。',
  offerQuestion: '這是最終方案嗎？',
  offerAnswer:
    '不是。這些還款金額依貸款機構公布的條件計算。您申請之後，貸款機構會提供您個人的方案，屆時由您決定。',
  creditQuestion: '會影響我的信用評分嗎？',
  creditAnswer: '這取決於貸款機構。在您同意之前，貸款機構會說明要進行哪些查詢。',
  disclosures: '貸款機構提供的資訊',
  qualify: '查看您是否符合資格',
};
