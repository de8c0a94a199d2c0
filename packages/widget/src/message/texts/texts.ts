import { nearest } from '../../texts/language.ts';
import { english } from './en.ts';

/** The element's own words in the dialog. The lender's words are not among them. */
export interface MessageTexts {
  /** Title of the dialog. */
  readonly title: string;
  readonly close: string;
  readonly plan: string;
  /** Column of the regular payment. */
  readonly payment: string;
  /** Column of the number of payments. */
  readonly count: string;
  readonly apr: string;
  readonly interest: string;
  readonly total: string;
  /** `{payment}` stands for the payment, also in the three below. */
  readonly perMonth: string;
  readonly perWeek: string;
  readonly perTwoWeeks: string;
  readonly perDay: string;
  readonly example: string;
  readonly amount: string;
  readonly last: string;
  readonly questions: string;
  readonly whatQuestion: string;
  readonly whatAnswer: string;
  readonly offerQuestion: string;
  readonly offerAnswer: string;
  readonly creditQuestion: string;
  readonly creditAnswer: string;
  readonly disclosures: string;
  readonly qualify: string;
}

/** A module with the texts of one language. */
interface MessageTextsModule {
  readonly texts: MessageTexts;
}

/** The languages other than English, each a separate file that loads with the dialog. */
export const messageLanguages: Readonly<Record<string, () => Promise<MessageTextsModule>>> = {
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

/** Texts with the tag of their language. */
export interface LabelledTexts {
  readonly lang: string;
  readonly texts: MessageTexts;
}

/** Loads the texts that are nearest to a locale: English where there are none, or none load. */
export async function loadMessageTexts(locale: string): Promise<LabelledTexts> {
  const { lang, tag } = nearest(['en', ...Object.keys(messageLanguages)], locale);
  const module = await messageLanguages[tag]?.().catch(() => undefined);
  return module ? { ...module, lang } : { lang: nearest(['en'], locale).lang, texts: english };
}
