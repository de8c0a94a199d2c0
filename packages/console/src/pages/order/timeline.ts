import { html, nothing, svg, type TemplateResult } from 'lit';
import type { ChargeRecord } from '@financing-checkout/contract/back-office';
import { formats, texts } from '../../locale/locale.ts';
import { paths } from '../../parts/navigation.ts';
import { emptyView } from '../../parts/states.ts';
import { amountView, headlineText } from '../../parts/values.ts';
import { cardView, maybe } from '../../parts/views.ts';
import { labeled, type Moment, placesOf } from './moments.ts';

const lanes = ['merchant', 'lender', 'case'] as const;
const LANE_PX = 64;
/** Vertical offset of a lane's line below its name. */
const LINE_PX = 46;
/** Fractions of the width that a date and an amount need on a narrow screen. */
const DATE_WIDTH = 0.34;
const AMOUNT_WIDTH = 0.34;

/** Shows all events of an order as a diagram and as a list. */
export function timelineView(
  moments: readonly Moment[],
  charges: readonly ChargeRecord[],
  links: unknown,
): TemplateResult {
  const { order } = texts();
  const happened = moments.filter(({ isExpected }) => !isExpected);
  if (moments.length === 0) {
    return cardView(order.timeline, emptyView(order.timelineEmpty, undefined, 'clock'), links);
  }
  return cardView(
    order.timeline,
    html`${charges.map((charge) => authorizedView(charge))} ${pictureView(moments)}
      <details ?open=${moments.length <= 8}>
        <summary>${order.events(happened.length)}</summary>
        <ol class="moments">
          ${moments.map((moment) => momentView(moment))}
        </ol>
      </details>`,
    links,
  );
}

/** Shows the authorized amount, and how much of it can still be settled. */
function authorizedView({ authorized, currencyAssumed, left }: ChargeRecord) {
  const { order } = texts();
  const mark = currencyAssumed === true ? '?' : '';
  const money = ({ value, currency }: typeof authorized) =>
    formats().amount(value, currency) + mark;
  const isOpen = left.toSettle.value > 0;
  return html`<p class="quiet small">
    ${order.authorized}:
    ${money(authorized)}${isOpen ? `, ${order.notSettled(money(left.toSettle))}` : ''}
  </p>`;
}

function pictureView(moments: readonly Moment[]) {
  const { order } = texts();
  const { day } = formats();
  const places = placesOf(moments);
  const used = lanes.filter((lane) => moments.some((moment) => moment.lane === lane));
  const height = used.length * LANE_PX + 28;
  const dates = labeled(places, DATE_WIDTH);
  const summary = order.timelineSummary(
    moments.length,
    day(moments[0]?.at ?? ''),
    day(moments.at(-1)?.at ?? ''),
  );
  return html`<div class="picture">
    <svg role="img" aria-label="${order.timeline}. ${summary}" width="100%" height=${height}>
      ${used.map((lane, row) => laneView(lane, row * LANE_PX, moments, places))}
      ${dates.map((index) => {
        const place = places[index] ?? 0;
        const x = percent(place);
        return svg`<line class="tick" x1=${x} x2=${x} y1=${height - 26} y2=${height - 20} />
          <text x=${x} y=${height - 6} text-anchor=${anchor(place)}>${day(moments[index]?.at ?? '')}</text>`;
      })}
    </svg>
  </div>`;
}

function laneView(
  lane: (typeof lanes)[number],
  top: number,
  moments: readonly Moment[],
  places: readonly number[],
) {
  const { order } = texts();
  const y = top + LINE_PX;
  const own = moments
    .map((moment, index) => ({ moment, place: places[index] ?? 0 }))
    .filter(({ moment }) => moment.lane === lane);
  const amounts = labeled(
    own.map(({ place }) => place),
    AMOUNT_WIDTH,
  );
  // The lane's name is at its start, above the space for an amount.
  return svg`<text class="lane" x="0" y=${top + 12}>${order.lanes[lane]}</text>
    <line class="rail" x1="1%" x2="99%" y1=${y} y2=${y} />
    ${own.map(
      ({ moment, place }, index) => svg`
        <circle class="dot ${toneOf(moment)}" cx=${percent(place)} cy=${y} r="6">
          <title>${sentence(moment)}</title>
        </circle>
        ${
          moment.amount !== undefined && amounts.includes(index)
            ? svg`<text class="sum" x=${percent(place)} y=${y - 12} text-anchor=${anchor(place)}>${signed(moment)}${formats().amount(moment.amount, moment.currency ?? '')}</text>`
            : nothing
        }`,
    )}`;
}

/** Horizontal position, with a margin so that the first and last dots are fully visible. */
const percent = (place: number) => `${(2 + place * 96).toFixed(2)}%`;
const anchor = (place: number) => (place < 0.12 ? 'start' : place > 0.88 ? 'end' : 'middle');
const outgoing = new Set(['Refund', 'Chargeback', 'Void']);
const signed = ({ what }: Moment) => (outgoing.has(what) ? '−' : '');

function toneOf({ lane, what, isExpected, status }: Moment): string {
  if (isExpected || status === 'unknown' || status === 'recorded') return 'open';
  if (lane === 'case') return /(?:closed|resolved|ignored)$/.test(what) ? 'good' : 'warn';
  if (status === 'rejected' || status === 'not-sent') return 'warn';
  return outgoing.has(what) ? 'out' : 'in';
}

/** Returns an event's label. A case event starts with its exception: "MDR_VARIANCE opened". */
function words({ lane, what }: Moment): string {
  const { order, cases } = texts();
  if (lane === 'case') {
    const [code = '', kind = ''] = what.split(' ');
    const events: Record<string, string> = cases.kinds;
    return `${headlineText(code)}: ${events[kind] ?? kind}`;
  }
  const name = order.moments[what] ?? what;
  return lane === 'lender' && what !== 'due' ? order.posted(name) : name;
}

/** Returns an event's time; for lenders, which report days, only the day. */
function timeText({ lane, at }: Moment): string {
  return lane === 'lender' ? formats().day(at) : formats().moment(at);
}

function sentence(moment: Moment): string {
  const sum =
    moment.amount === undefined ? '' : ` ${formats().amount(moment.amount, moment.currency ?? '')}`;
  return `${timeText(moment)}: ${words(moment)}${sum}`;
}

function momentView(moment: Moment) {
  const { order } = texts();
  const { at, lane, amount, currency = '', isAssumed, by, status, caseId } = moment;
  const state =
    status === undefined || lane === 'case'
      ? nothing
      : lane === 'lender'
        ? html`<span class="quiet" title=${order.fundingStatus(status)}>${status}</span>`
        : html`<span class="quiet">${order.operationStates[status] ?? status}</span>`;
  return html`<li>
    <time class="quiet" datetime=${at}>${timeText(moment)}</time>
    <span class="mark ${toneOf(moment)}"></span>
    <span class="what">
      ${caseId === undefined ? words(moment) : html`<a href=${paths.case(caseId)}>${words(moment)}</a>`}
      ${maybe(by, (name) => html`<span class="quiet">· ${name}</span>`)} ${state}
    </span>
    <span class="end">
      ${amount === undefined ? nothing : html`${signed(moment)}${amountView(amount, currency, isAssumed)}`}
    </span>
  </li>`;
}
