import { first } from './first.ts';
import { nearest } from './language.ts';
import { loadNearest } from './languages.ts';
import type { locked } from './locked.ts';
import type { Added, Spoken, Texts, TextSource } from './texts.ts';

/** The locked names among the initial texts. An attempt's module has the complete list. */
export const firstLocked = ['lang', 'dir', 'checking', 'checkingTitle'];

const loadEnglish = () => import('./locales/en.ts').then(({ checkout }) => checkout);

/** The shop's own wording of some texts. */
export type TextOverrides = Partial<Omit<Texts, (typeof locked)[number]>>;

/**
 * Languages that the page has added. `<financing-prequalify>` also uses them for the texts that it
 * shares with a checkout.
 */
const added: Added<'checkout'> = new Map();

/**
 * Adds or replaces a language ("sv", "pt-BR"). The language is loaded when an element first needs
 * it; an element already in the page needs it when its `locale` is set. If a later version of the
 * widget has texts that the language lacks, they appear in English.
 */
export function registerTexts(language: string, load: () => Promise<Texts>): void {
  added.set(language.toLowerCase(), async () => {
    const [texts, english] = await Promise.all([load(), loadEnglish()]);
    return { checkout: { ...english, ...texts } };
  });
}

/** Loads the texts that best match a locale, or the initial English texts. */
export async function loadTexts(locale: string): Promise<Spoken> {
  const texts = { ...first, ...(await loadNearest(added, locale))?.checkout };
  const { lang } = nearest([texts.lang], locale);
  return { ...texts, lang };
}

/** Returns whether all texts are loaded. Built-in and added languages are always complete. */
function isWhole(texts: Spoken): texts is Texts {
  return 'failed' in texts;
}

/** Adds the remaining English texts if they are missing. */
export async function complete(texts: Spoken): Promise<Texts> {
  return isWhole(texts) ? texts : { ...(await loadEnglish()), ...texts };
}

export const checkoutTexts: TextSource = {
  first,
  locked: firstLocked,
  load: loadTexts,
  complete,
};
