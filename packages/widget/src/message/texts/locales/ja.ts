import type { MessageTexts } from '../texts.ts';

/** Japanese. */
export const texts: MessageTexts = {
  title: '分割払い',
  close: '閉じる',
  plan: '貸主',
  payment: 'お支払い額',
  count: 'お支払い回数',
  apr: '実質年率',
  interest: '利息',
  total: 'お支払い総額',
  perMonth: '月々{payment}',
  perWeek: '毎週{payment}',
  perTwoWeeks: '2週間ごとに{payment}',
  perDay: '毎日{payment}',
  example: '代表的な例',
  amount: '融資額',
  last: '最終回のお支払い額',
  questions: 'よくある質問',
  whatQuestion: 'どのような仕組みですか？',
  whatAnswer:
    '貸主がご注文の代金をショップに支払い、お客様はここに表示された回数で貸主に返済します。',
  offerQuestion: 'これは最終的な条件ですか？',
  offerAnswer:
    'いいえ。この金額は貸主が公表している条件から計算したものです。お客様ご自身の条件は、お申し込みの後に貸主から提示され、その時点でお決めいただけます。',
  creditQuestion: '信用情報に影響しますか？',
  creditAnswer: '貸主によって異なります。確認の内容は、同意の前に貸主が説明します。',
  disclosures: '貸主からの情報',
  qualify: '利用できるか確認する',
};
