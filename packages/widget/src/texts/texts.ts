import { first } from './first.ts';
import { languages } from './languages.ts';

/**
 * Everything the widget says itself. `{amount}` stands for the order's amount, or the one that was
 * approved, and `{current}` for what the cart comes to since, or for the part that went back. What a lender
 * says is in the hosted page and out of reach from here.
 */
export interface Texts {
  /** BCP 47 tag of the language these are in. */
  readonly lang: string;
  readonly dir: 'ltr' | 'rtl';
  readonly label: string;
  readonly resume: string;
  readonly tryAgain: string;
  readonly startAgain: string;
  readonly reload: string;
  readonly checkNow: string;
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

/**
 * What no merchant words: what the lender decided, whose notice of it is regulated, and what keeps
 * a shopper from paying twice. Everything else is the shop's copy.
 */
export const locked = [
  'lang',
  'dir',
  'approvedTitle',
  'approved',
  'approvedOther',
  'changed',
  'changedCart',
  'pendingTitle',
  'pending',
  'declinedTitle',
  'declined',
  'confirmingTitle',
  'confirming',
  'checkingTitle',
  'checking',
  'refundedTitle',
  'refunded',
  'reducedTitle',
  'reduced',
  'voidedTitle',
  'voided',
] as const satisfies readonly (keyof Texts)[];

/** What an element can say: all of it, once a shopper has acted. */
export type Spoken = Partial<Texts> & Pick<Texts, keyof typeof first>;

/** The shop's own wording, where it differs. */
export type TextOverrides = Partial<Omit<Texts, (typeof locked)[number]>>;

const loaders = new Map(Object.entries(languages));

/**
 * Adds a language ("sv", "pt-BR"), or takes the place of one. It is loaded when an element first
 * needs it; one that is in the page already does when its `locale` is set. What it leaves out, in a
 * later version of the widget, is said in English.
 */
export function registerTexts(language: string, load: () => Promise<Texts>): void {
  loaders.set(language.toLowerCase(), async () => {
    const [texts, { english }] = await Promise.all([load(), import('./en.ts')]);
    return { texts: { ...english, ...texts } };
  });
}

/**
 * The texts for a locale: those of the longest registered beginning of its tag (RFC 4647 3.4), or
 * English, of which only the beginning is here. A language that is unknown or does not load never keeps anybody from paying.
 */
export async function loadTexts(locale: string): Promise<Spoken> {
  const tag = canonical(locale);
  let range = tag.toLowerCase();
  while (range && !loaders.has(range)) range = range.slice(0, Math.max(range.lastIndexOf('-'), 0));
  const module = await loaders
    .get(range)?.()
    .catch(() => undefined);
  const { lang } = { ...first, ...module?.texts };
  // With the region, which amounts are written by; not where it is another script's.
  return { ...first, ...module?.texts, lang: tag.startsWith(`${lang}-`) ? tag : lang };
}

/** Whether nothing is missing: our own languages are whole by test, and added ones are made so. */
export function isWhole(texts: Spoken): texts is Texts {
  return 'failed' in texts;
}

/** What is left of English, where that is what is spoken. */
export async function complete(texts: Spoken): Promise<Texts> {
  return isWhole(texts) ? texts : { ...(await import('./en.ts')).english, ...texts };
}

/** `iw` is `he` since long, and some platforms write `pt_BR`. */
function canonical(locale: string): string {
  try {
    return Intl.getCanonicalLocales(locale.replaceAll('_', '-'))[0] ?? '';
  } catch {
    return '';
  }
}

/** Texts with the shop's own wording in them, as far as that is up to the shop. */
export function reword<T extends Spoken>(texts: T, overrides: TextOverrides | null | undefined): T {
  const closed: readonly string[] = locked;
  const own = Object.entries(overrides ?? {}).filter(
    ([name, said]) => said && !closed.includes(name),
  );
  return { ...texts, ...Object.fromEntries(own) };
}
