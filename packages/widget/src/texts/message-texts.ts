import { nearest } from './language.ts';
import { languages, loadNearest } from './languages.ts';
import { message as english } from './locales/en.ts';
import type { Added, MessageTexts } from './texts.ts';

/** Texts with their language tag. */
export interface LabeledTexts {
  readonly lang: string;
  readonly texts: MessageTexts;
}

export const englishMessage: LabeledTexts = { lang: 'en', texts: english };

/** A page cannot add languages to a message. */
const added: Added<'message'> = new Map();

/** Loads the texts that best match a locale, or English if there are none or they do not load. */
export async function loadMessageTexts(locale: string): Promise<LabeledTexts> {
  const module = await loadNearest(added, locale);
  const { lang } = nearest(module ? ['en', ...Object.keys(languages)] : ['en'], locale);
  return { lang, texts: module?.message ?? english };
}
