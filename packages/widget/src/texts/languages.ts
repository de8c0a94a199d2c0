import type { Texts } from './texts.ts';

/** A module with the texts of one language. */
export interface TextsModule {
  readonly texts: Texts;
}

/**
 * The built-in languages other than English, by their tag. Each is a separate file in `dist/` and in
 * `cdn/`, loaded when an element first needs it.
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
  'zh-Hans': () => import('./locales/zh-Hans.ts'),
  'zh-Hant': () => import('./locales/zh-Hant.ts'),
};
