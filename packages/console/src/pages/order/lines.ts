import { html, nothing, type TemplateResult } from 'lit';
import type { ChargeOperation } from '@financing-checkout/contract/back-office';
import { formats, texts } from '../../locale/locale.ts';
import { emptyView } from '../../parts/states.ts';
import { amountView } from '../../parts/values.ts';
import { pairsView, quiet } from '../../parts/views.ts';
import type { Part } from './comparison.ts';
import {
  type FundingLine,
  type LedgerLine,
  type Match,
  matchesOf,
  referencesOf,
} from './matches.ts';

/** Shows each ledger line and funding of a currency, and why they match. */
export function linesView(part: Part, operations: readonly ChargeOperation[]): TemplateResult {
  const { order } = texts();
  const { ledger, fundings, currency, currencyAssumed } = part;
  if (ledger.length + fundings.length === 0) return emptyView(order.noLines);
  const { ofLine, ofFunding } = matchesOf(part, referencesOf(operations));
  const money = (minor: number) => amountView(minor, currency, currencyAssumed);
  return html`<div class="order-sides">
    ${sideView(
      order.ledgerLine,
      ledger.map((line) => lineView(line, money, ofLine.get(line.id) ?? [])),
    )}
    ${sideView(
      order.fundingLine,
      fundings.map((funding) => fundingView(funding, money, ofFunding.get(funding.id) ?? [])),
    )}
  </div>`;
}

function sideView(title: string, lines: readonly TemplateResult[]) {
  return html`<section>
    <h3>${title}</h3>
    <ul class="order-lines">
      ${lines}
    </ul>
    ${lines.length === 0 ? quiet('—') : nothing}
  </section>`;
}

type Money = (minor: number) => TemplateResult;

function lineView(line: LedgerLine, money: Money, matches: readonly Match<FundingLine>[]) {
  const { common, order } = texts();
  return html`<li>
    <div class="row spread">
      <strong>${order.moments[line.type] ?? line.type}</strong>
      <strong>${money(line.amount)}</strong>
    </div>
    <p class="quiet small">${formats().moment(line.occurredAt)} · ${order.source(line.source)}</p>
    ${
      matches.length === 0
        ? html`<p class="fit none"><wa-icon name="clock"></wa-icon> ${order.unmatchedLine}</p>`
        : matches.map(({ other, reasons }) =>
            fitView(
              reasons,
              html`${other.lenderName}, ${formats().day(other.fundedAt)},
              ${money(other.transactionAmount)}`,
            ),
          )
    }
    ${idsView([
      [order.transactionId, line.transactionId],
      [order.merchantTransactionId, line.merchantTransactionId],
      [common.record, line.id],
    ])}
  </li>`;
}

function fundingView(funding: FundingLine, money: Money, matches: readonly Match<LedgerLine>[]) {
  const { common, order } = texts();
  const { discountAmount, netAmount, productType, promoCode, transactionType } = funding;
  return html`<li>
    <div class="row spread">
      <strong>${order.moments[transactionType] ?? transactionType}</strong>
      <strong>${money(funding.transactionAmount)}</strong>
    </div>
    <p class="quiet small">
      ${formats().day(funding.fundedAt)} · ${funding.lenderName} ·
      <span title=${order.fundingStatus(funding.status)}>${funding.status}</span>
    </p>
    <p class="quiet small">
      ${order.rows.discount} ${money(discountAmount)} · ${common.net} ${money(netAmount)}
    </p>
    ${
      matches.length === 0
        ? html`<p class="fit none">
            <wa-icon name="triangle-alert"></wa-icon> ${order.unmatchedFunding}
          </p>`
        : matches.map(({ other, reasons }) =>
            fitView(
              reasons,
              html`${order.moments[other.type] ?? other.type}, ${formats().day(other.occurredAt)},
              ${money(other.amount)}`,
            ),
          )
    }
    ${idsView([
      [order.transactionId, funding.transactionId],
      [order.merchantTransactionId, funding.merchantTransactionId],
      [order.lenderReferenceId, funding.lenderReferenceId],
      [order.product, productType],
      [order.promotion, promoCode],
      [common.record, funding.id],
    ])}
  </li>`;
}

function fitView(reasons: Match<unknown>['reasons'], other: TemplateResult) {
  const { order } = texts();
  const isById = !reasons.includes('typeAndAmount');
  return html`<p class="fit ${isById ? 'by-id' : ''}">
    <wa-icon name=${isById ? 'badge-check' : 'scale'}></wa-icon>
    <span
      >${order.matchedWith}: ${other}<br /><span class="quiet"
        >${formats().list.format(reasons.map((reason) => order.why[reason]))}</span
      ></span
    >
  </p>`;
}

function idsView(ids: readonly (readonly [name: string, id: string | undefined])[]) {
  return html`<details>
    <summary class="small">${texts().order.ids}</summary>
    ${pairsView(
      'facts',
      ids.map(([name, id]) => [name, id, 'id'] as const),
    )}
  </details>`;
}
