import type { first } from './first.ts';

/**
 * All texts of a checkout. `{amount}` stands for the order's or the approved amount, and
 * `{current}` for the cart's current amount or the refunded part. The lender's own texts are in the
 * hosted page, which the widget cannot change.
 */
export interface Texts {
  /** BCP 47 language tag of the texts. */
  readonly lang: string;
  readonly dir: 'ltr' | 'rtl';
  readonly label: string;
  readonly resume: string;
  readonly tryAgain: string;
  readonly startAgain: string;
  readonly reload: string;
  readonly checkNow: string;
  readonly phone: string;
  readonly phoneWaiting: string;
  /** Replaces `phoneWaiting` when the link leads to this machine, as in a demo. */
  readonly phoneLocal: string;
  readonly copy: string;
  readonly copied: string;
  readonly openHere: string;
  readonly working: string;
  readonly dialog: string;
  readonly close: string;
  readonly loading: string;
  readonly ready: string;
  readonly slow: string;
  readonly elsewhere: string;
  readonly awayTitle: string;
  readonly away: string;
  readonly showWindow: string;
  readonly cancel: string;
  readonly changedTitle: string;
  readonly changed: string;
  readonly changedCart: string;
  readonly keep: string;
  readonly approvedTitle: string;
  readonly approved: string;
  readonly approvedOther: string;
  readonly pendingTitle: string;
  readonly pending: string;
  readonly declinedTitle: string;
  readonly declined: string;
  readonly cancelledTitle: string;
  readonly cancelled: string;
  readonly cancelledLink: string;
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
  readonly refundedTitle: string;
  readonly refunded: string;
  readonly reducedTitle: string;
  readonly reduced: string;
  readonly voidedTitle: string;
  readonly voided: string;
}

/** An application's texts that differ from a checkout's or are additional. */
export interface OwnTexts {
  readonly label: string;
  readonly dialog: string;
  readonly unavailableTitle: string;
  readonly unavailable: string;
  readonly prequalifiedTitle: string;
  readonly prequalified: string;
  /** Used if the lender states no amount. */
  readonly prequalifiedOpen: string;
  readonly pending: string;
  readonly declined: string;
  readonly notFoundTitle: string;
  readonly notFound: string;
  /** After `cancelled` and `expired`, if the shopper can continue. */
  readonly cancelled: string;
  /** After `cancelled` and `expired`, if the shopper has to start again. */
  readonly expired: string;
  readonly offline: string;
  readonly failedTitle: string;
  readonly failed: string;
}

/** The texts as stored in a language file, in which the button's label is also the dialog's title. */
export type OwnPrequalifyTexts = Omit<OwnTexts, 'dialog'>;

/** The element's own texts in the dialog, excluding the lender's. */
export interface MessageTexts {
  /** Title of the dialog. */
  readonly title: string;
  readonly close: string;
  readonly plan: string;
  /** Column header for the regular payment. */
  readonly payment: string;
  /** Column header for the number of payments. */
  readonly count: string;
  readonly apr: string;
  readonly interest: string;
  /** Row label for a lease's cost in addition to the price; for a loan, this row shows the interest. */
  readonly leaseCost: string;
  readonly total: string;
  /** `{payment}` stands for the payment, here and in the next three texts. */
  readonly perMonth: string;
  readonly perWeek: string;
  readonly perTwoWeeks: string;
  readonly perDay: string;
  readonly example: string;
  readonly amount: string;
  /** Price of the leased goods, which a lease shows instead of the amount financed. */
  readonly cashPrice: string;
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

/** One language's module: the texts of each element. */
export interface Language {
  readonly checkout: Texts;
  readonly prequalify: OwnPrequalifyTexts;
  readonly message: MessageTexts;
  /** Label of the message's button, which `message-first.ts` has for all languages. */
  readonly learnMore: string;
}

/** An element's loaded texts: all of them once the shopper has acted. */
export type Spoken = Partial<Texts> & Pick<Texts, keyof typeof first>;

/** The texts of one kind of element. */
export interface TextSource {
  /** Available before anything has loaded. */
  readonly first: Spoken;
  /** Names of the initial texts that a shop cannot change. */
  readonly locked: readonly string[];
  load(locale: string): Promise<Spoken>;
  /** Adds the missing texts once the shopper has acted. */
  complete(texts: Spoken): Promise<Spoken>;
}

/** Languages that the page has added. They replace built-in ones. */
export type Added<Part extends keyof Language> = Map<string, () => Promise<Pick<Language, Part>>>;

/** Returns texts with the shop's own wording, except for the locked ones. */
export function reword<T extends Spoken>(
  texts: T,
  overrides: object | null | undefined,
  locked: readonly string[],
): T {
  const own = Object.entries(overrides ?? {}).filter(
    ([name, said]) => said && !locked.includes(name),
  );
  return { ...texts, ...Object.fromEntries(own) };
}
