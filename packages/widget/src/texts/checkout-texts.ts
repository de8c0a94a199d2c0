import { first } from './first.ts';
import { nearest } from './language.ts';
import type { locked } from './locked.ts';
import { loadNearest } from './texts.ts';
import type { Added, Loaders, Spoken, Texts, TextSource } from './texts.ts';

/**
 * The built-in languages other than English. Each one is a file in `dist/` and `cdn/` that loads on
 * demand.
 */
export const checkoutLanguages: Loaders<'checkout'> = {
  ar: () => import('./locales/ar.ts').then(({ checkout }) => ({ checkout })),
  de: () => import('./locales/de.ts').then(({ checkout }) => ({ checkout })),
  es: () => import('./locales/es.ts').then(({ checkout }) => ({ checkout })),
  fr: () => import('./locales/fr.ts').then(({ checkout }) => ({ checkout })),
  he: () => import('./locales/he.ts').then(({ checkout }) => ({ checkout })),
  it: () => import('./locales/it.ts').then(({ checkout }) => ({ checkout })),
  ja: () => import('./locales/ja.ts').then(({ checkout }) => ({ checkout })),
  nl: () => import('./locales/nl.ts').then(({ checkout }) => ({ checkout })),
  pl: () => import('./locales/pl.ts').then(({ checkout }) => ({ checkout })),
  pt: () => import('./locales/pt.ts').then(({ checkout }) => ({ checkout })),
  'zh-Hans': () => import('./locales/zh-Hans.ts').then(({ checkout }) => ({ checkout })),
  'zh-Hant': () => import('./locales/zh-Hant.ts').then(({ checkout }) => ({ checkout })),
};

/** The locked names among the initial texts. The module of an attempt has the complete list. */
export const firstLocked = ['lang', 'dir', 'checking', 'checkingTitle'];

const loadEnglish = () => import('./locales/en.ts').then(({ checkout }) => checkout);

/** The shop's own wording of some texts. */
export type TextOverrides = Partial<Omit<Texts, (typeof locked)[number]>>;

/**
 * Languages that the page has added. `<financing-prequalify>` also uses them, for the texts that it
 * shares with a checkout.
 */
const added: Added<{ readonly checkout: Texts }> = new Map();

/**
 * Adds or replaces a language ("sv", "pt-BR"). The language is loaded when an element first needs
 * it; an element that is already in the page needs it when its `locale` is set. Texts that the
 * language lacks in a later version of the widget appear in English.
 */
export function registerTexts(language: string, load: () => Promise<Texts>): void {
  added.set(language.toLowerCase(), async () => {
    const [texts, english] = await Promise.all([load(), loadEnglish()]);
    return { checkout: { ...english, ...texts } };
  });
}

/** Loads the texts that best match a locale, or the initial English texts. */
export async function loadTexts(locale: string, builtIn: Loaders<'checkout'>): Promise<Spoken> {
  const texts = { ...first, ...(await loadNearest(builtIn, added, locale))?.checkout };
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
  load: (locale) => loadTexts(locale, checkoutLanguages),
  complete,
};
