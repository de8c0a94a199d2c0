import { english } from './en.ts';

/**
 * Everything the widget says itself. `{amount}` stands for the order's amount. What a lender says
 * is in the hosted page and out of reach from here.
 */
export interface Texts {
  /** BCP 47 tag of the language these are in. */
  readonly lang: string;
  readonly dir: 'ltr' | 'rtl';
  readonly label: string;
  readonly resume: string;
  readonly tryAgain: string;
  readonly startAgain: string;
  readonly reload: string;
  readonly checkNow: string;
  readonly working: string;
  readonly dialog: string;
  readonly close: string;
  readonly loading: string;
  readonly ready: string;
  readonly slow: string;
  readonly approvedTitle: string;
  readonly approved: string;
  readonly pendingTitle: string;
  readonly pending: string;
  readonly declinedTitle: string;
  readonly declined: string;
  readonly cancelledTitle: string;
  readonly cancelled: string;
  readonly confirmingTitle: string;
  readonly confirming: string;
  readonly expiredTitle: string;
  readonly expired: string;
  readonly staleTitle: string;
  readonly stale: string;
  readonly unavailableTitle: string;
  readonly unavailable: string;
  readonly offlineTitle: string;
  readonly offline: string;
  readonly checkingTitle: string;
  readonly checking: string;
  readonly failedTitle: string;
  readonly failed: string;
}

/** What a merchant may say otherwise. Being told not to pay twice is not up for rewording. */
export type TextOverrides = Partial<Omit<Texts, 'checkingTitle' | 'checking'>>;

const loaders = new Map<string, () => Promise<Texts>>();

/** Adds a language ("de", "pt-BR"). It is loaded when an element first needs it. */
export function registerTexts(language: string, load: () => Promise<Texts>): void {
  loaders.set(language.toLowerCase(), load);
}

/**
 * The texts of a locale, or of its language, or English: a language that is unknown or does not
 * load never keeps anybody from paying.
 */
export async function loadTexts(locale: string): Promise<Texts> {
  const tag = locale.toLowerCase();
  const load = loaders.get(tag) ?? loaders.get(tag.split('-')[0] ?? '');
  return load ? load().catch(() => english) : english;
}

/** Whether there is anything to load for a locale. */
export function hasTexts(locale: string): boolean {
  const tag = locale.toLowerCase();
  return loaders.has(tag) || loaders.has(tag.split('-')[0] ?? '');
}
