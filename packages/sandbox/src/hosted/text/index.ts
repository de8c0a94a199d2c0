import { en, type Text } from './en.ts';

export type { Text } from './en.ts';

/** Texts by language. A language that is not here is answered in English. */
const languages: Readonly<Record<string, Text>> = { en };

/** The texts for a BCP 47 tag; amounts and dates follow the region where the language is ours. */
export function textFor(tag: string): Text {
  const language = tag.split('-')[0]?.toLowerCase() ?? '';
  const text = languages[language];
  if (!text) return en;
  try {
    return { ...text, locale: Intl.getCanonicalLocales(tag)[0] ?? text.locale };
  } catch {
    // Not a tag at all.
    return text;
  }
}
