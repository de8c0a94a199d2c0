/** Data that an explanation or a search does not include, so that what it lacks may exist. */
export const gapKinds = [
  'unproven-days',
  'quarantined',
  'behind',
  'companion',
  'fragments',
  'matches',
  'imports',
] as const;
export type GapKind = (typeof gapKinds)[number];

/** A gap, with the number of its days, records, facts or kinds, or with the limit. */
export interface Gap {
  gap: GapKind;
  count: number;
}

const en = (count: number, one: string, other: string) => `${count} ${count === 1 ? one : other}`;

interface GapWords {
  /** Introduces the list of gaps. */
  intro: string;
  gaps: Readonly<Record<GapKind, (count: number) => string>>;
}

export const gapWords: Record<'en' | 'de', GapWords> = {
  en: {
    intro: 'Not searched',
    gaps: {
      'unproven-days': (count) => `${en(count, 'day that is', 'days that are')} not proven`,
      quarantined: (count) => `${en(count, 'record', 'records')} in quarantine`,
      behind: (count) => `${en(count, 'change', 'changes')} that the figures do not include yet`,
      companion: () => 'the companion, which did not answer',
      fragments: (count) => `${en(count, 'kind of ID', 'kinds of IDs')} for this fragment`,
      matches: (count) => `more than ${count} matches of a kind`,
      imports: (count) => `imports before the newest ${count}`,
    },
  },
  de: {
    intro: 'Nicht durchsucht',
    gaps: {
      'unproven-days': (count) =>
        en(count, 'Tag, der nicht nachgewiesen ist', 'Tage, die nicht nachgewiesen sind'),
      quarantined: (count) => `${en(count, 'Datensatz', 'Datensätze')} in Quarantäne`,
      behind: (count) =>
        en(
          count,
          'Änderung, die noch nicht in den Zahlen ist',
          'Änderungen, die noch nicht in den Zahlen sind',
        ),
      companion: () => 'der Companion, der nicht geantwortet hat',
      fragments: (count) =>
        `${en(count, 'Art von Nummern', 'Arten von Nummern')} nach diesem Bruchstück`,
      matches: (count) => `mehr als ${count} Treffer einer Art`,
      imports: (count) => `Importe vor den neuesten ${count}`,
    },
  },
};

/** Returns a sentence about the gaps of an answer; undefined if it has none. */
export function gapsText(
  gaps: readonly Gap[] | undefined,
  language: 'en' | 'de' = 'en',
): string | undefined {
  if (gaps === undefined || gaps.length === 0) return undefined;
  const { gaps: words, intro } = gapWords[language];
  return `${intro}: ${gaps.map(({ gap, count }) => words[gap](count)).join('; ')}.`;
}
