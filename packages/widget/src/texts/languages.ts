import type { Texts } from './texts.ts';

/** A module with the texts of a language. */
export interface TextsModule {
  readonly texts: Texts;
}

/**
 * The languages that come with the widget besides English, by the tag they are found under. Each
 * is a file of its own, in `dist/` as in `cdn/`, that is loaded when an element first needs it.
 */
export const languages: Readonly<Record<string, () => Promise<TextsModule>>> = {
  ar: () => import('./locales/ar.ts'),
  de: () => import('./locales/de.ts'),
  es: () => import('./locales/es.ts'),
  fr: () => import('./locales/fr.ts'),
  he: () => import('./locales/he.ts'),
  it: () => import('./locales/it.ts'),
  ja: () => import('./locales/ja.ts'),
  nl: () => import('./locales/nl.ts'),
  pl: () => import('./locales/pl.ts'),
  pt: () => import('./locales/pt.ts'),
  zh: () => import('./locales/zh.ts'),
};
