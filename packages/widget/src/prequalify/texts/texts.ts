import { first as checkoutFirst } from '../../texts/first.ts';
import { complete, loadNearest, loadTexts, locked as checkoutLocked } from '../../texts/texts.ts';
import type { Spoken, Texts, TextSource } from '../../texts/texts.ts';
import { first } from './first.ts';
import { languages } from './languages.ts';

/**
 * The texts of an application without a cart, which differ from those of a checkout or are new.
 * `{amount}` stands for the most that a lender offers.
 */
export interface OwnTexts {
  readonly label: string;
  readonly dialog: string;
  readonly unavailableTitle: string;
  readonly unavailable: string;
  readonly prequalifiedTitle: string;
  readonly prequalified: string;
  /** Where the lender names no amount. */
  readonly prequalifiedOpen: string;
  readonly pending: string;
  readonly declined: string;
  readonly notFoundTitle: string;
  readonly notFound: string;
  /** After `cancelled` and `expired`, where the shopper can continue. */
  readonly cancelled: string;
  /** After `cancelled` and `expired`, where the shopper has to start again. */
  readonly expired: string;
  readonly offline: string;
  readonly failedTitle: string;
  readonly failed: string;
}

/** All texts of `<financing-prequalify>`. */
export type PrequalifyTexts = Texts & OwnTexts;

/** The lender's decision, whose words a merchant cannot change. */
export const locked = [
  ...checkoutLocked,
  'prequalifiedTitle',
  'prequalified',
  'prequalifiedOpen',
  'notFoundTitle',
  'notFound',
] as const satisfies readonly (keyof PrequalifyTexts)[];

/** The shop's own wording of some texts. */
export type PrequalifyTextOverrides = Partial<Omit<PrequalifyTexts, (typeof locked)[number]>>;

const loaders = new Map(Object.entries(languages));

/**
 * Adds or replaces the texts of a language. The others, such as "Close", are those of `registerTexts`:
 * without one of the two the element is in English. A text that it lacks appears in English.
 */
export function registerPrequalifyTexts(language: string, load: () => Promise<OwnTexts>): void {
  loaders.set(language.toLowerCase(), async () => {
    const [texts, { english }] = await Promise.all([load(), import('./en.ts')]);
    return { texts: { ...english, ...texts } };
  });
}

/** Returns whether all texts are loaded. */
export function isPrequalifyWhole(texts: Spoken): texts is PrequalifyTexts {
  return 'prequalified' in texts;
}

const isEnglish = (tag: string) => /^en(?![a-z])/i.test(tag);

/** Loads the texts of a checkout and, in the same language, those that differ. */
export const prequalifyTexts: TextSource = {
  first: { ...checkoutFirst, ...first },
  locked,
  load: async (locale) => {
    const [common, own] = await Promise.all([loadTexts(locale), loadNearest(loaders, locale)]);
    // An element has one language: English where one half of another is missing.
    const isHalf = Boolean(own) === isEnglish(common.lang) && !isEnglish(locale);
    return isHalf ? prequalifyTexts.first : { ...common, ...first, ...own?.texts };
  },
  complete: async (texts) => {
    if (isPrequalifyWhole(texts)) return texts;
    const [whole, { english }] = await Promise.all([complete(texts), import('./en.ts')]);
    return { ...whole, ...english };
  },
};
