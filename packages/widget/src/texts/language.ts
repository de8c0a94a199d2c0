/** Parses a language tag, also in the form `pt_BR`. An invalid tag is an undetermined language. */
function parse(tag: string): Intl.Locale {
  try {
    return new Intl.Locale(tag.replaceAll('_', '-'));
  } catch {
    return new Intl.Locale('und');
  }
}

/** Returns the script in which a tag is written: `Hant` for `zh-TW`. */
export const scriptOf = (tag: string) => parse(tag).maximize().script;

/** Bokmål has two tags, and readers of Nynorsk read it, too. */
const familyOf = (tag: string) => tag.split(/[-_]/)[0]?.replace(/^n[bn]$/, 'no');

/**
 * Chooses among the languages of some texts the one that is nearest to a locale: of its language and in
 * its script, and if possible of its region. Where none is, chooses the first one.
 * @param tags of the texts
 * @returns also the tag that states their language in a page. It is the page's, whose region determines
 *   the format of amounts, unless the texts are of another region.
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
  // Fonts must not render simplified characters like those of Taiwan: the script is stated.
  const whole = script ? new Intl.Locale(page, { script }) : page;
  const isOfPage = rank(tag) && !region && language === page.language;
  return { tag, lang: String(isOfPage ? whole : parse(tag)) };
}
