import type { MessageTexts, OwnPrequalifyTexts, Texts } from '../texts.ts';

/** Japanese, in the polite form. */
export const checkout: Texts = {
  lang: 'ja',
  dir: 'ltr',
  label: '分割で支払う',
  resume: 'お申し込みを続ける',
  tryAgain: 'もう一度試す',
  startAgain: '最初からやり直す',
  phone: 'スマートフォンで続ける',
  phoneWaiting: 'スマートフォンでコードを読み取るか、アドレスを開いてください。',
  phoneLocal: 'このアドレスはこの端末を指すため、スマートフォンでは開けません。',
  copy: 'アドレスをコピー',
  copied: 'アドレスをコピーしました',
  openHere: 'この端末で開く',
  reload: 'ページを再読み込み',
  checkNow: '今すぐ確認する',
  working: '少々お待ちください…',
  dialog: '分割払い',
  close: '閉じる',
  loading: 'お申し込み画面を開いています…',
  ready: 'お申し込み画面の準備ができました。',
  slow: '通常より時間がかかっています。',
  approvedTitle: '分割払いが承認されました',
  approved: '{amount}の分割払いが承認されました。このページでのお手続きは完了です。',
  pendingTitle: 'お申し込みを審査しています',
  pending:
    'このページを閉じてもかまいません。審査結果はショップからお知らせします。それまでは、ほかの方法でお支払いにならないでください。',
  declinedTitle: '今回はご利用いただけませんでした',
  declined:
    'このご注文に対応できる金融会社がありませんでした。料金は発生していません。理由は金融会社からお知らせします。',
  cancelledTitle: 'お申し込みを中断しました',
  cancelled: '料金は発生していません。いつでも最初からやり直せます。',
  cancelledLink:
    '料金は発生していません。アドレスは24時間有効です。別の方法で支払う場合は使わないでください。',
  confirmingTitle: '金融会社に確認しています',
  confirming: '数秒かかります。このページを開いたままお待ちください。',
  expiredTitle: 'お申し込みの有効期限が切れました',
  expired: '料金は発生していません。最初からやり直せます。',
  staleTitle: 'このページを開いてから時間が経っています',
  stale: '続けるにはページを再読み込みしてください。料金は発生していません。',
  unavailableTitle: '現在、分割払いをご利用いただけません',
  unavailable:
    '料金は発生していません。しばらくしてからもう一度お試しいただくか、ほかの方法でお支払いください。',
  offlineTitle: 'オフラインのようです',
  offline: '料金は発生していません。接続してからもう一度お試しください。',
  checkingTitle: 'お申し込み状況を確認しています',
  checking:
    'まだほかの方法でお支払いにならないでください。数分かかる場合があります。結果はこのページに表示されます。',
  failedTitle: 'このご注文では分割払いをご利用いただけません',
  failed: '料金は発生していません。ほかの方法でお支払いください。',
  elsewhere: '金融会社のページで続ける',
  awayTitle: 'お申し込み画面が開いています',
  away: 'そちらでお手続きを続けてください。結果はこのページに表示されます。',
  showWindow: 'ウィンドウを表示',
  cancel: 'キャンセル',
  changedTitle: 'カートの内容が変わりました',
  changed:
    '承認された金額は{amount}ですが、現在のカートの合計は{current}です。料金は発生していません。',
  changedCart: '承認された内容が現在のカートの内容と異なります。料金は発生していません。',
  keep: '{amount}のまま続ける',
  approvedOther:
    '{amount}の分割払いが承認されました。現在のカートの合計は{current}です。差額についてはショップからお知らせします。',
  refundedTitle: '分割払いが返金されました',
  refunded: '{current}が金融会社に返金されました。',
  reducedTitle: '分割払いの一部が返金されました',
  reduced: '{amount}のうち{current}が金融会社に返金されました。',
  voidedTitle: '分割払いが取り消されました',
  voided: 'このご注文の分割払いは無効になりました。',
};

export const prequalify: OwnPrequalifyTexts = {
  label: '利用できるか確認する',
  unavailableTitle: '現在、金融会社に接続できません',
  unavailable: '何も決定されていません。しばらくしてからもう一度お試しください。',
  prequalifiedTitle: '事前審査を通過しました',
  prequalified:
    '金融会社から{amount}までの提示があります。お支払い時に分割払いを選んでください。最終的な判断はそこで行われます。',
  prequalifiedOpen:
    '金融会社からの提示があります。お支払い時に分割払いを選んでください。最終的な判断はそこで行われます。',
  pending:
    '金融会社の判断がまだ出ていないか、お客様の手続きが残っています。このページに戻って確認できます。',
  declined:
    '金融会社からの提示はありませんでした。理由は金融会社からお知らせします。他の方法でのお支払いは引き続きご利用いただけます。',
  notFoundTitle: '申し込みは行われませんでした',
  notFound: '金融会社に届く前に終了したため、何も決定されていません。もう一度始められます。',
  cancelled: '何も決定されていません。続きから再開できます。',
  expired: '何も決定されていません。もう一度始められます。',
  offline: '何も決定されていません。接続が回復したら、もう一度お試しください。',
  failedTitle: '現在ご利用いただけません',
  failed: '何も決定されていません。お支払い時に分割払いを申し込むことができます。',
};

export const message: MessageTexts = {
  title: '分割払い',
  close: '閉じる',
  plan: '貸主',
  payment: 'お支払い額',
  count: 'お支払い回数',
  apr: '実質年率',
  interest: '利息',
  leaseCost: 'リース費用',
  total: 'お支払い総額',
  perMonth: '月々{payment}',
  perWeek: '毎週{payment}',
  perTwoWeeks: '2週間ごとに{payment}',
  perDay: '毎日{payment}',
  example: '代表的な例',
  amount: '融資額',
  cashPrice: '現金価格',
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

export const learnMore = '詳しく見る';
