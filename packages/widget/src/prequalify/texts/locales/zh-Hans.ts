import type { OwnTexts } from '../texts.ts';

export const texts: OwnTexts = {
  label: '查看您是否符合条件',
  dialog: '查看您是否符合条件',
  unavailableTitle: '目前无法连接贷款机构',
  unavailable: '尚未作出任何决定。请稍后再试。',
  prequalifiedTitle: '您已通过预审',
  prequalified:
    '贷款机构可为您提供最高{amount}。请在结账时选择分期付款，贷款机构将在那里作出最终决定。',
  prequalifiedOpen: '贷款机构可为您提供分期付款。请在结账时选择，贷款机构将在那里作出最终决定。',
  pending: '贷款机构尚未作出决定，或需要您补充信息。您可以稍后返回此页面。',
  declined: '没有贷款机构提供方案。贷款机构会向您说明原因。您仍可在此购物并以其他方式付款。',
  notFoundTitle: '没有提交申请',
  notFound: '申请在到达贷款机构之前已结束，因此尚未作出任何决定。您可以重新开始。',
  cancelled: '尚未作出任何决定。您可以从中断处继续。',
  expired: '尚未作出任何决定。您可以重新开始。',
  offline: '尚未作出任何决定。请在恢复网络后重试。',
  failedTitle: '目前不可用',
  failed: '尚未作出任何决定。您仍可在结账时申请分期付款。',
};
