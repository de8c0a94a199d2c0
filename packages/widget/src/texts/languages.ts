import { nearest } from './language.ts';
import type { Added, Language } from './texts.ts';

/**
 * The built-in languages other than English. Each is a file that loads on demand; the CDN files
 * have only one element's texts.
 */
export const languages: Readonly<Record<string, () => Promise<Language>>> = {
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

/**
 * Loads the texts that best match a locale; on a tie, the most recently added ones. An unknown
 * language or a failed load never prevents a payment.
 * @returns undefined if there are no texts
 */
export async function loadNearest<Part extends keyof Language>(
  added: Added<Part>,
  locale: string,
): Promise<Pick<Language, Part> | undefined> {
  const tags = ['en', ...[...added.keys()].reverse(), ...Object.keys(languages)];
  const { tag } = nearest(tags, locale);
  try {
    return await (added.get(tag) ?? languages[tag])?.();
  } catch {
    return undefined;
  }
}
