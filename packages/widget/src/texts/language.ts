/**
 * Parses a language tag, including the form `pt_BR`. An invalid tag yields the undetermined
 * language.
 */
function parse(tag: string): Intl.Locale {
  try {
    return new Intl.Locale(tag.replaceAll('_', '-'));
  } catch {
    return new Intl.Locale('und');
  }
}

/** Returns the script of a language tag: `Hant` for `zh-TW`. */
export const scriptOf = (tag: string) => parse(tag).maximize().script;

/** Bokmål has two tags, and readers of Nynorsk understand it. */
const familyOf = (tag: string) => tag.split(/[-_]/)[0]?.replace(/^n[bn]$/, 'no');

/**
 * Returns the available language that best matches a locale: the same language and script and, if
 * possible, the same region. Falls back to the first one.
 * @param tags language tags of the available texts
 * @returns the chosen tag, and the tag to set as `lang`: the page's own, whose region determines
 * how amounts are formatted, unless the texts are for another region
 */
export function nearest(tags: readonly string[], locale: string): { tag: string; lang: string } {
  const page = parse(locale);
  const rank = (one: string) => {
    if (familyOf(one) !== familyOf(String(page)) || scriptOf(one) !== scriptOf(locale)) return 0;
    const { language, region } = parse(one);
    const fit = region ? (region === page.maximize().region ? 3 : 1) : 2;
    return language === page.language ? fit + 3 : fit;
  };
  const tag = tags.reduce((best, one) => (rank(one) > rank(best) ? one : best));
  const { language, region, script } = parse(tag);
  // The script is explicit so that fonts do not render simplified characters in Taiwanese style.
  const whole = script ? new Intl.Locale(page, { script }) : page;
  const isOfPage = rank(tag) && !region && language === page.language;
  return { tag, lang: String(isOfPage ? whole : parse(tag)) };
}
