import { first } from './first.ts';
import type { OwnTexts } from './texts.ts';

/** The complete English texts, loaded when a shopper acts and no other language is set. */
export const english: OwnTexts = {
  ...first,
  prequalifiedTitle: 'You are prequalified',
  prequalified:
    'A lender offers you up to {amount}. Choose financing at the checkout: the lender makes its final decision there.',
  prequalifiedOpen:
    'A lender offers you financing. Choose it at the checkout: the lender makes its final decision there.',
  pending:
    'The lender has not decided yet, or needs something from you. You can come back to this page.',
  declined:
    'No lender made an offer. The lender will send you the reasons. You can still buy here and pay another way.',
  notFoundTitle: 'No application was made',
  notFound: 'It ended before it reached a lender, so nothing was decided. You can start again.',
  cancelled: 'Nothing was decided. You can continue where you left off.',
  expired: 'Nothing was decided. You can start again.',
  offline: 'Nothing was decided. Try again when you are connected.',
  failedTitle: 'This is not available right now',
  failed: 'Nothing was decided. You can still ask for financing at the checkout.',
};
