import { nearest } from './language.ts';
import { message as english } from './locales/en.ts';
import { loadNearest } from './texts.ts';
import type { Loaders, MessageTexts } from './texts.ts';

/**
 * The built-in languages other than English. Each one is a file in `dist/` and `cdn/` that loads on
 * demand.
 */
export const messageLanguages: Loaders<'message'> = {
  ar: () => import('./locales/ar.ts').then(({ message }) => ({ message })),
  de: () => import('./locales/de.ts').then(({ message }) => ({ message })),
  es: () => import('./locales/es.ts').then(({ message }) => ({ message })),
  fr: () => import('./locales/fr.ts').then(({ message }) => ({ message })),
  he: () => import('./locales/he.ts').then(({ message }) => ({ message })),
  it: () => import('./locales/it.ts').then(({ message }) => ({ message })),
  ja: () => import('./locales/ja.ts').then(({ message }) => ({ message })),
  nl: () => import('./locales/nl.ts').then(({ message }) => ({ message })),
  pl: () => import('./locales/pl.ts').then(({ message }) => ({ message })),
  pt: () => import('./locales/pt.ts').then(({ message }) => ({ message })),
  'zh-Hans': () => import('./locales/zh-Hans.ts').then(({ message }) => ({ message })),
  'zh-Hant': () => import('./locales/zh-Hant.ts').then(({ message }) => ({ message })),
};

/** Texts with their language tag. */
export interface LabelledTexts {
  readonly lang: string;
  readonly texts: MessageTexts;
}

export const englishMessage: LabelledTexts = { lang: 'en', texts: english };

/** Loads the texts that best match a locale, or English if there are none or they do not load. */
export async function loadMessageTexts(locale: string): Promise<LabelledTexts> {
  const module = await loadNearest(messageLanguages, new Map(), locale);
  const { lang } = nearest(module ? ['en', ...Object.keys(messageLanguages)] : ['en'], locale);
  return { lang, texts: module?.message ?? english };
}
