import type { OwnTexts, Texts } from './texts.ts';

/** Notices with a locked title and text. */
const lockedNotices = [
  'approved',
  'pending',
  'declined',
  'confirming',
  'checking',
  'refunded',
  'reduced',
  'voided',
] as const;

/**
 * The texts that a merchant cannot change: the lender's decision, whose notice is regulated, and
 * the warnings that keep a shopper from paying twice. The shop may change all other texts.
 */
export const locked = [
  'lang',
  'dir',
  'approvedOther',
  'changed',
  'changedCart',
  'cancelledLink',
  ...lockedNotices,
  ...lockedNotices.map((name) => `${name}Title` as const),
] satisfies readonly (keyof Texts)[];

/** The texts of an application without a cart that a merchant cannot change. */
export const prequalifyLocked = [
  ...locked,
  'prequalifiedTitle',
  'prequalified',
  'prequalifiedOpen',
  'notFoundTitle',
  'notFound',
] as const satisfies readonly (keyof (Texts & OwnTexts))[];
