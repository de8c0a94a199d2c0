import { html, nothing, type PropertyValues } from 'lit';
import type { CaseRecord, Claims } from '@financing-checkout/contract/reconciliation';
import { exceptions } from '@financing-checkout/contract/plain';
import { formats, texts } from '../../locale/locale.ts';
import { elementWith } from '../../parts/element.ts';
import { exportLinks } from '../../parts/export-links.ts';
import { loadCall } from '../../parts/loader.ts';
import { copyButton } from '../../parts/views.ts';
import { comparedRows, type Part } from '../order/comparison.ts';
import { aligned, programText } from '../order/explanation.ts';

/** An exception of one order, or of several in one currency and direction. */
interface Difference {
  code: CaseRecord['code'];
  currency: string;
  /** Null if not known exactly. */
  difference: number | null;
  count: number;
  isNamed: boolean;
  isRefund?: boolean | undefined;
}

/** Returns who owes whom how much and why, and what we ask for. */
function claimLines({ code, currency, difference, ...known }: Difference): string[] {
  const amount = difference ?? 0;
  const size =
    difference === null
      ? texts().cases.message.unknownAmount
      : programText(Math.abs(amount), currency);
  const facts = { size, less: amount < 0, cancels: difference === 0, ...known };
  return [...texts().exceptions[code].message(facts)];
}

/** Whether the service, rather than the lender, has to answer. */
export const concernsService = (code: CaseRecord['code']): boolean =>
  'concerns' in exceptions[code];

/** Returns a message about a case, with the claim, our transactions and the lenders' postings. */
export function messageOfCase(
  { amount, code, count, currency, merchantOrderId, orderKey }: CaseRecord,
  { fundings, ledger, status }: Part,
): string {
  const { cases, exceptions: names, order } = texts();
  const { isoMinute, zone } = formats();
  const money = (minor: number) => programText(minor, currency);
  const sent = ledger.map(({ amount, merchantTransactionId, occurredAt, transactionId, type }) => [
    isoMinute(Date.parse(occurredAt)),
    type,
    money(amount),
    transactionId ?? '',
    merchantTransactionId ?? '',
  ]);
  const posted = fundings.map((line) => [
    isoMinute(Date.parse(line.fundedAt)),
    line.transactionType,
    money(line.transactionAmount),
    line.transactionId ?? '',
    line.merchantTransactionId ?? '',
    line.lenderReferenceId ?? '',
    line.lenderName,
  ]);
  const sums = () => {
    if (status === undefined) return [];
    const { expected, funded } = comparedRows(status).total;
    return aligned([
      [order.expected, money(expected)],
      [order.funded, money(funded)],
      [order.difference, money(funded - expected)],
    ]);
  };
  const ofRefund = () => {
    const [settle, refund] = (['settle', 'refund'] as const).map(
      (kind) => status?.expected[kind] !== status?.funded[kind],
    );
    return settle === refund ? undefined : refund;
  };
  const { message } = cases;
  const isNamed = merchantOrderId !== undefined;
  const lines = [
    message.subject(merchantOrderId ?? orderKey, names[code].name),
    '',
    ...claimLines({ code, count, currency, difference: amount, isNamed, isRefund: ofRefund() }),
    '',
    ...(sent.length === 0 ? [message.nothingSent] : [message.sent(zone), ...aligned(sent)]),
    '',
    ...(posted.length === 0 ? [message.nothingPosted] : [message.posted(zone), ...aligned(posted)]),
    '',
    ...sums(),
  ];
  return `${lines.join('\n').trimEnd()}\n`;
}

/** Returns a message about all of a lender's open cases, whose lines are in a file. */
export function messageOfClaims(sums: NonNullable<Claims['sums']>): string {
  const { cases, exceptions: names } = texts();
  const { message } = cases;
  const all = sums.reduce((count, one) => count + one.cases, 0);
  const parts = sums.map((one) => {
    const claim = claimLines({ ...one, isNamed: true });
    return [message.part(names[one.code].name, one.cases), ...claim].join('\n');
  });
  return `${[message.subjectOfMany(all), message.attached, ...parts].join('\n\n')}\n`;
}

/** Offers a message about all of the chosen lender's open cases, with its file. */
class CasesMessage extends elementWith({ lender: '', isCopied: false }) {
  readonly #claims = loadCall(this, 'get /cases/claims', () => ({
    query: { lender: this.lender, limit: '1' },
  }));

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('lender')) this.isCopied = false;
  }

  async #copy(text: string): Promise<void> {
    await navigator.clipboard.writeText(text);
    this.isCopied = true;
  }

  protected override render() {
    const { sums = [] } = this.#claims.kept ?? {};
    if (sums.length === 0) return nothing;
    const { cases } = texts();
    const { lender } = this;
    return html`<div class="row">
      ${copyButton(cases.copyMessageTo(lender), this.isCopied, () =>
        this.#copy(messageOfClaims(sums)),
      )}
      ${exportLinks('cases-claims', { lender }, { label: cases.attachment, path: '/cases/claims' })}
    </div>`;
  }
}

customElements.define('cases-message', CasesMessage);
