import type { OwnTexts } from '../texts.ts';

export const texts: OwnTexts = {
  label: '查看您是否符合資格',
  dialog: '查看您是否符合資格',
  unavailableTitle: '目前無法連線到貸款機構',
  unavailable: '尚未做出任何決定。請稍後再試。',
  prequalifiedTitle: '您已通過預審',
  prequalified:
    '貸款機構最高可為您提供 {amount}。請在結帳時選擇分期付款，貸款機構會在那裡做出最終決定。',
  prequalifiedOpen: '貸款機構可為您提供分期付款。請在結帳時選擇，貸款機構會在那裡做出最終決定。',
  pending: '貸款機構尚未做出決定，或需要您補充資料。您可以稍後回到此頁面。',
  declined: '沒有貸款機構提供方案。貸款機構會告知您原因。您仍可在此購物，並以其他方式付款。',
  notFoundTitle: '沒有提出申請',
  notFound: '申請在送達貸款機構之前已結束，因此尚未做出任何決定。您可以重新開始。',
  cancelled: '尚未做出任何決定。您可以從中斷處繼續。',
  expired: '尚未做出任何決定。您可以重新開始。',
  offline: '尚未做出任何決定。請在恢復連線後再試一次。',
  failedTitle: '目前無法使用',
  failed: '尚未做出任何決定。您仍可在結帳時申請分期付款。',
};
