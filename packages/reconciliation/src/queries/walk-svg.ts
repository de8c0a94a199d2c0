import type { Walk } from '@financing-checkout/contract';
import { periodText } from '../platform/period.ts';
import { leftOutText } from './left-out.ts';
import { written } from './reasons.ts';
import { type Statement, walkSteps } from './walk-steps.ts';

const WIDTH = 860;
const LABELS = 190;
const AMOUNTS = 170;
const ROW = 28;
const HEAD = 64;
const GAP = 28;

interface Bar {
  label: string;
  /** Start and end of the bar in minor units. */
  from: number;
  to: number;
  amount: number;
  kind: 'plus' | 'minus' | 'total';
}

/** Draws a cash walk, with one waterfall chart per currency. Incomplete data is hatched. */
export function walkSvg(walk: Walk): string {
  let top = 0;
  const parts = walk.statements.map((statement) => {
    const bars = barsOf(statement);
    const part = waterfall(statement.currency, bars, top, walk);
    top += HEAD + bars.length * ROW + GAP;
    return part;
  });
  const height = Math.max(top, HEAD);
  const about = [walk.lender ?? 'all lenders', periodText(walk)].filter(
    (word) => word !== undefined,
  );
  const title = `Cash walk, ${about.join(', ')}`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" font-family="system-ui, sans-serif" font-size="14">
<title>${escaped(title)}</title>
<style>text{fill:#1d2733}.muted{fill:#5b6876}.plus{fill:#2f7d5b}.minus{fill:#b4513f}.total{fill:#34506f}.bad{fill:#b00020;font-weight:700}@media(prefers-color-scheme:dark){text{fill:#e8edf2}.muted{fill:#a9b4bf}}</style>
<defs><pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect width="2" height="6" fill="#fff" fill-opacity=".55"/></pattern></defs>
${parts.length === 0 ? `<text x="0" y="24">${escaped(title)}: no settles or fundings.</text>` : parts.join('\n')}
</svg>
`;
}

function barsOf(statement: Statement): Bar[] {
  let at = 0;
  const bars = walkSteps.flatMap(({ name, label }): Bar[] => {
    const amount = statement[name];
    if (amount === 0) return [];
    const from = at;
    at += amount;
    return [{ label, from, to: at, amount, kind: amount > 0 ? 'plus' : 'minus' }];
  });
  const { net } = statement;
  return [
    ...bars,
    { label: 'Net posted by lenders', from: 0, to: net, amount: net, kind: 'total' },
  ];
}

function waterfall(currency: string, bars: readonly Bar[], top: number, walk: Walk): string {
  const edges = bars.flatMap(({ from, to }) => [from, to]);
  const least = Math.min(0, ...edges);
  const span = Math.max(0, ...edges) - least || 1;
  const x = (value: number) => LABELS + ((value - least) / span) * (WIDTH - LABELS - AMOUNTS);
  const isWhole = walk.complete && walk.quarantined === 0;
  const rows = bars.map(({ label, from, to, amount, kind }, index) => {
    const y = top + HEAD + index * ROW;
    const left = Math.min(x(from), x(to));
    const width = Math.max(1, Math.abs(x(to) - x(from)));
    const box = `x="${left.toFixed(1)}" y="${y}" width="${width.toFixed(1)}" height="${ROW - 8}" rx="2"`;
    return `<text x="0" y="${y + 15}">${escaped(label)}</text><rect ${box} class="${kind}"/>${
      isWhole ? '' : `<rect ${box} fill="url(#hatch)"/>`
    }<text x="${WIDTH}" y="${y + 15}" text-anchor="end" font-variant-numeric="tabular-nums">${escaped(written(amount, currency))}</text>`;
  });
  const statement = walk.statements.find((one) => one.currency === currency);
  const unexplained = statement?.unexplained ?? 0;
  const leftOut = leftOutText(walk);
  const proof = [
    walk.complete ? 'all days proven' : `${walk.unprovenDays} days unproven`,
    ...(walk.quarantined === 0 ? [] : [`records in quarantine: ${walk.quarantined}`]),
    ...(leftOut === undefined ? [] : [leftOut]),
  ].join(', ');
  return `<text x="0" y="${top + 22}" font-size="18" font-weight="600">${escaped(currency)}</text>
<text x="0" y="${top + 44}" class="muted">${escaped(proof)}</text>
<text x="${WIDTH}" y="${top + 22}" text-anchor="end" class="${unexplained === 0 ? '' : 'bad'}">unexplained ${escaped(written(unexplained, currency))}</text>
${rows.join('\n')}`;
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
