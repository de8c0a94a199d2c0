import type { Texts } from '../texts.ts';

/** Japanese, in the polite form. */
export const texts: Texts = {
  lang: 'ja',
  dir: 'ltr',
  label: '分割で支払う',
  resume: 'お申し込みを続ける',
  tryAgain: 'もう一度試す',
  startAgain: '最初からやり直す',
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
};
