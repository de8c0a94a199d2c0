import { complete, firstLocked, loadTexts } from './checkout-texts.ts';
import { first as checkoutFirst, prequalifyFirst } from './first.ts';
import { loadNearest } from './languages.ts';
import type { prequalifyLocked } from './locked.ts';
import type { Added, OwnTexts, Spoken, Texts, TextSource } from './texts.ts';

/** All texts of `<financing-prequalify>`. */
export type PrequalifyTexts = Texts & OwnTexts;

/** The shop's own wording of some texts. */
export type PrequalifyTextOverrides = Partial<
  Omit<PrequalifyTexts, (typeof prequalifyLocked)[number]>
>;

const loadEnglish = () => import('./locales/en.ts').then(({ prequalify }) => prequalify);

const added: Added<'prequalify'> = new Map();

/**
 * Adds or replaces a language's texts. Texts shared with a checkout, such as "Close", come from
 * `registerTexts`; if either of the two is missing, the element is in English. A single missing
 * text appears in English.
 */
export function registerPrequalifyTexts(language: string, load: () => Promise<OwnTexts>): void {
  added.set(language.toLowerCase(), async () => {
    const [texts, english] = await Promise.all([load(), loadEnglish()]);
    return { prequalify: { ...english, ...texts } };
  });
}

/** Returns whether all texts are loaded. */
function isPrequalifyWhole(texts: Spoken): texts is PrequalifyTexts {
  return 'prequalified' in texts;
}

const isEnglish = (tag: string) => /^en(?![a-z])/i.test(tag);

/** Adds an application's own texts to those of a checkout. The label is also the dialog's title. */
const withOwn = <T extends Spoken, Own extends { readonly label: string }>(texts: T, own: Own) => ({
  ...texts,
  dialog: own.label,
  ...own,
});

/** Loads a checkout's texts and, in the same language, the application's own texts. */
export const prequalifyTexts: TextSource = {
  first: withOwn(checkoutFirst as Spoken, prequalifyFirst),
  locked: firstLocked,
  load: async (locale) => {
    const [common, own] = await Promise.all([loadTexts(locale), loadNearest(added, locale)]);
    // All of an element's texts are in one language: English if half of another language is missing.
    const isHalf = Boolean(own) === isEnglish(common.lang) && !isEnglish(locale);
    return isHalf ? prequalifyTexts.first : withOwn(common, own?.prequalify ?? prequalifyFirst);
  },
  complete: async (texts) => {
    if (isPrequalifyWhole(texts)) return texts;
    const [whole, english] = await Promise.all([complete(texts), loadEnglish()]);
    return withOwn(whole, english);
  },
};
