import { html, nothing } from 'lit';
import type { PeriodRecord, Seal } from '@financing-checkout/contract/reconciliation';
import { addressOf } from '../../api/client.ts';
import { formats, texts } from '../../locale/locale.ts';
import { badgeView, cardView, maybe, pairsView, quiet } from '../../parts/views.ts';
import './hash.ts';

/** Shows a period's seal, and links to its files. */
export function sealView({ id, state }: PeriodRecord, seal: Seal) {
  const { close } = texts();
  const { moment } = formats();
  const { seq, hash, at, preparedBy, approvedBy, isApprovedBySecond, reopened } = seal;
  const file = (part: 'statements' | 'flows', name: string) =>
    html`<a download href=${addressOf(`/periods/${encodeURIComponent(id)}/seal`, { part, seq })}
      >${name}</a
    >`;
  const approved = html`${approvedBy}
  ${isApprovedBySecond ? nothing : badgeView('warning', close.onePerson)}`;
  return cardView(
    close.sealNumber(seq),
    html`${
      state === 'closed'
        ? nothing
        : maybe(reopened, ({ by, approvedBy: second, at: when, reason }) => {
            const people = second === undefined ? by : close.askedAndApproved(by, second);
            return html`<p>
              ${badgeView('neutral', close.reopened)} ${close.byAt(people, moment(when))}: ${reason}
            </p>`;
          })
    }
    ${pairsView('facts', [
      [close.hash, hashView(hash, id)],
      [close.sealedAt, moment(at)],
      [close.prepared, preparedBy],
      [close.approved, approved],
    ])}
    ${quiet(close.keep, true)}`,
    html`<span class="row exports"
      ><span class="quiet">${close.files}</span> ${file('statements', close.statementsFile)}
      ${file('flows', close.amountsFile)}</span
    >`,
  );
}

function hashView(hash: string, period: string) {
  const label = texts().close.copyHash(period);
  return html`<close-hash .hash=${hash} .label=${label} .isWhole=${true}></close-hash>`;
}
