import { first } from './first.ts';
import { nearest } from './language.ts';
import { languages } from './languages.ts';

/**
 * All texts of the widget. `{amount}` stands for the amount of the order or of the approval, and
 * `{current}` for the current amount of the cart or for the refunded part. The lender's own texts are
 * in the hosted page, which the widget cannot change.
 */
export interface Texts {
  /** BCP 47 tag of their language. */
  readonly lang: string;
  readonly dir: 'ltr' | 'rtl';
  readonly label: string;
  readonly resume: string;
  readonly tryAgain: string;
  readonly startAgain: string;
  readonly reload: string;
  readonly checkNow: string;
  readonly phone: string;
  readonly phoneWaiting: string;
  readonly copy: string;
  readonly copied: string;
  readonly openHere: string;
  readonly working: string;
  readonly dialog: string;
  readonly close: string;
  readonly loading: string;
  readonly ready: string;
  readonly slow: string;
  readonly elsewhere: string;
  readonly awayTitle: string;
  readonly away: string;
  readonly showWindow: string;
  readonly cancel: string;
  readonly changedTitle: string;
  readonly changed: string;
  readonly changedCart: string;
  readonly keep: string;
  readonly approvedTitle: string;
  readonly approved: string;
  readonly approvedOther: string;
  readonly pendingTitle: string;
  readonly pending: string;
  readonly declinedTitle: string;
  readonly declined: string;
  readonly cancelledTitle: string;
  readonly cancelled: string;
  readonly cancelledLink: string;
  readonly confirmingTitle: string;
  readonly confirming: string;
  readonly expiredTitle: string;
  readonly expired: string;
  readonly staleTitle: string;
  readonly stale: string;
  readonly unavailableTitle: string;
  readonly unavailable: string;
  readonly offlineTitle: string;
  readonly offline: string;
  readonly checkingTitle: string;
  readonly checking: string;
  readonly failedTitle: string;
  readonly failed: string;
  readonly refundedTitle: string;
  readonly refunded: string;
  readonly reducedTitle: string;
  readonly reduced: string;
  readonly voidedTitle: string;
  readonly voided: string;
}

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
 * The texts that a merchant cannot change: the lender's decision, whose notice is regulated, and the
 * warnings that keep a shopper from paying twice. All other texts belong to the shop.
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

/** The loaded texts of an element: all of them, once the shopper has acted. */
export type Spoken = Partial<Texts> & Pick<Texts, keyof typeof first>;

/** The shop's own wording of some texts. */
export type TextOverrides = Partial<Omit<Texts, (typeof locked)[number]>>;

const loaders = new Map(Object.entries(languages));

/**
 * Adds or replaces a language ("sv", "pt-BR"). It is loaded when an element first needs it; an
 * element that is already in the page needs it when its `locale` is set. A text that it lacks, in a
 * later version of the widget, appears in English.
 */
export function registerTexts(language: string, load: () => Promise<Texts>): void {
  loaders.set(language.toLowerCase(), async () => {
    const [texts, { english }] = await Promise.all([load(), import('./en.ts')]);
    return { texts: { ...english, ...texts } };
  });
}

/**
 * Loads the texts that are nearest to a locale, or the first English ones. An unknown language, or a
 * failed load, never prevents a payment.
 */
export async function loadTexts(locale: string): Promise<Spoken> {
  const texts = { ...first, ...(await loadNearest(loaders, locale))?.texts };
  const { lang } = nearest([texts.lang], locale);
  return { ...texts, lang };
}

/**
 * Loads the module that is nearest to a locale; of two equals the one that was added last.
 * @returns undefined where there is none
 */
export async function loadNearest<T>(
  known: ReadonlyMap<string, () => Promise<T>>,
  locale: string,
): Promise<T | undefined> {
  const { tag } = nearest(['en', ...[...known.keys()].reverse()], locale);
  return known
    .get(tag)?.()
    .catch(() => undefined);
}

/** Returns whether all texts are loaded. Built-in and added languages are always complete. */
export function isWhole(texts: Spoken): texts is Texts {
  return 'failed' in texts;
}

/** Adds the rest of the English texts where they are missing. */
export async function complete(texts: Spoken): Promise<Texts> {
  return isWhole(texts) ? texts : { ...(await import('./en.ts')).english, ...texts };
}

/** Returns texts with the shop's own wording, except for the locked ones. */
export function reword<T extends Spoken>(
  texts: T,
  overrides: object | null | undefined,
  closed: readonly string[] = locked,
): T {
  const own = Object.entries(overrides ?? {}).filter(
    ([name, said]) => said && !closed.includes(name),
  );
  return { ...texts, ...Object.fromEntries(own) };
}

/** The texts of one kind of element. */
export interface TextSource {
  /** Known before anything has loaded. */
  readonly first: Spoken;
  /** Names that a shop cannot change. */
  readonly locked: readonly string[];
  load(locale: string): Promise<Spoken>;
  /** Adds the missing texts once the shopper has acted. */
  complete(texts: Spoken): Promise<Spoken>;
}

export const checkoutTexts: TextSource = { first, locked, load: loadTexts, complete };
