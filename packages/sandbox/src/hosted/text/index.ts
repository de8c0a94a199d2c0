import { en, type Text } from './en.ts';

export type { Text } from './en.ts';

/** Texts by language; English for all others. */
const languages: Readonly<Record<string, Text>> = { en };

/** Returns the texts for a BCP 47 tag. In a supported language, the region sets amount formats. */
export function textFor(tag: string): Text {
  const language = tag.split('-')[0]?.toLowerCase() ?? '';
  const text = languages[language];
  if (!text) return en;
  try {
    return { ...text, locale: Intl.getCanonicalLocales(tag)[0] ?? text.locale };
  } catch {
    // Not a BCP 47 tag.
    return text;
  }
}
