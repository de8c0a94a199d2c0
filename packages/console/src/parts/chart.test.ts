import { beforeEach, describe, expect, it, type MockInstance, vi } from 'vitest';
import { userEvent } from 'vitest/browser';
import base from '../styles/base.css?inline';
import { setZone } from '../locale/locale.ts';
import { useStyles } from '../styles.fixture.ts';
import './chart.ts';
import type { ChartContent } from './chart-content.ts';
import { NAVIGATED } from './navigation.ts';

useStyles(
  base,
  `.chart .canvas { position: relative; height: 240px; }
    .chart { margin: 0; } .bars [data-index] { position: absolute; }`,
);

const content: ChartContent = {
  name: 'walk',
  summary: 'Settled $10.00.',
  scope: 'Oct 1, 2026 to Oct 31, 2026',
  asOf: '2026-11-27T12:00:00.000Z',
  columns: ['Step', 'Amount'],
  rows: [
    ['Settled', '$10.00'],
    ['Discount', '-$0.50'],
    ['Net', '$9.50'],
  ],
  labels: ['Settled', 'Discount', 'Net'],
  bars: [
    {
      data: [10, 0.5, 9.5],
      values: ['$10.00', '-$0.50', '$9.50'],
      addresses: ['/console/orders?step=expected', undefined, '/console/orders?step=net'],
      colour: 'brand',
    },
  ],
  isLying: true,
};

let write: MockInstance<CanvasRenderingContext2D['fillText']>;
/** The texts that are drawn since the beginning of the test. */
const drawn = () => write.mock.calls.map(([text]) => text);
beforeEach(() => {
  setZone('UTC');
  write = vi.spyOn(CanvasRenderingContext2D.prototype, 'fillText');
});

async function shown(changed: Partial<ChartContent> = {}, width = 800): Promise<HTMLElement> {
  const chart = document.createElement('console-chart');
  Object.assign(chart, { label: 'Cash walk', content: { ...content, ...changed } });
  const place = document.createElement('div');
  place.style.width = `${width}px`;
  place.append(chart);
  document.body.append(place);
  await expect.poll(() => drawn().length).toBeGreaterThan(0);
  return chart;
}

const barsOf = (chart: Element) => [...chart.querySelectorAll<HTMLElement>('.bars [data-index]')];
const namesOf = (chart: Element) => barsOf(chart).map((bar) => bar.getAttribute('aria-label'));

describe('values', () => {
  it('writes the value of each bar where there is room', async () => {
    await shown();
    expect(drawn()).toEqual(expect.arrayContaining(['$10.00', '-$0.50', '$9.50']));
  });

  it('writes a short value, or none, where there is none', async () => {
    const many = Array.from({ length: 40 }, (_, index) => index + 1);
    await shown({
      labels: many.map(String),
      bars: [{ data: many, values: many.map(() => 'a very long value'), colour: 'brand' }],
      isLying: false,
      tick: () => 'short',
    });
    expect(drawn()).not.toContain('a very long value');
  });

  it('has every value in the table', async () => {
    const chart = await shown();
    const cells = [...chart.querySelectorAll('td')].map((cell) => cell.textContent.trim());
    expect(cells).toEqual(['$10.00', '-$0.50', '$9.50']);
  });

  it('draws the bars at once, at the length that the axis states', async () => {
    const chart = await shown();
    const [settled, discount] = barsOf(chart).map((bar) => Number.parseFloat(bar.style.width));
    expect(settled).toBeGreaterThan(300);
    expect((discount ?? 0) / (settled ?? 1)).toBeCloseTo(0.05, 1);
  });
});

describe('the keyboard', () => {
  it('moves between bars with the arrow keys, Home and End, as one stop of Tab', async () => {
    const chart = await shown();
    expect(namesOf(chart)).toEqual(['Settled: $10.00', 'Discount: -$0.50', 'Net: $9.50']);
    const focused = () => document.activeElement?.getAttribute('aria-label');
    barsOf(chart)[0]?.focus();
    await userEvent.keyboard('{ArrowRight}');
    expect(focused()).toBe('Discount: -$0.50');
    await userEvent.keyboard('{ArrowDown}{ArrowDown}');
    expect(focused()).toBe('Net: $9.50');
    await userEvent.keyboard('{Home}');
    expect(focused()).toBe('Settled: $10.00');
    await userEvent.keyboard('{End}');
    expect(barsOf(chart).map(({ tabIndex }) => tabIndex)).toEqual([-1, -1, 0]);
  });

  it('has a link to the records of a bar, and none for a bar without records', async () => {
    const chart = await shown();
    expect(barsOf(chart).map((bar) => bar.getAttribute('href'))).toEqual([
      '/console/orders?step=expected',
      null,
      '/console/orders?step=net',
    ]);
  });

  it('opens the records of the bar that is clicked', async () => {
    const chart = await shown();
    const opened = vi.fn<() => void>();
    addEventListener(NAVIGATED, opened, { once: true });
    const bar = barsOf(chart)[0];
    const { left, top, width, height } = bar?.getBoundingClientRect() ?? new DOMRect();
    const at = { clientX: left + width / 2, clientY: top + height / 2, bubbles: true };
    chart.querySelector('canvas')?.dispatchEvent(new MouseEvent('click', at));
    await expect.poll(() => opened.mock.calls.length).toBe(1);
    expect(location.search).toBe('?step=expected');
  });
});

it('saves an image of twice the size, with title, scope, time and background', async () => {
  const chart = await shown();
  let saved: Blob | undefined;
  vi.spyOn(URL, 'createObjectURL').mockImplementation((blob) => {
    if (blob instanceof Blob) saved = blob;
    return 'blob:image';
  });
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockReturnValue();
  write.mockClear();
  chart.querySelector<HTMLButtonElement>('button')?.click();
  await expect.poll(() => saved).toBeDefined();
  const image = await createImageBitmap(saved ?? new Blob());
  expect(image.width).toBe((800 + 2 * 24) * 2);
  const words = drawn();
  expect(words).toEqual(
    expect.arrayContaining(['Cash walk', 'Oct 1, 2026 to Oct 31, 2026', 'Settled', '$10.00']),
  );
  expect(words.some((text) => text.startsWith('As of Nov 27, 2026'))).toBe(true);
  const canvas = new OffscreenCanvas(1, 1);
  const context = canvas.getContext('2d');
  context?.drawImage(image, 0, 0);
  expect([...(context?.getImageData(0, 0, 1, 1).data ?? [])]).toEqual([255, 255, 255, 255]);
});

/** How people see a linear color who lack the receptors for green or red (Machado et al., 2009). */
const vision = {
  complete: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
};
const roles = ['brand', 'good', 'warn', 'bad', 'neutral'] as const;
const pairs = roles.flatMap((one, index) =>
  roles.slice(index + 1).map((other) => [one, other] as const),
);

function linearOf(hex: string): number[] {
  return [1, 3, 5].map((at) => {
    const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
}

/** Returns a color in CIE L*a*b*, where a distance is how much two colors seem to differ. */
function labOf(colour: readonly number[], matrix: readonly (readonly number[])[]): number[] {
  const [r = 0, g = 0, b = 0] = matrix.map((row) =>
    Math.min(
      1,
      Math.max(
        0,
        row.reduce((sum, one, at) => sum + one * (colour[at] ?? 0), 0),
      ),
    ),
  );
  const f = (value: number) => (value > 0.008856 ? Math.cbrt(value) : 7.787 * value + 16 / 116);
  const x = f((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.95047);
  const y = f(0.2126 * r + 0.7152 * g + 0.0722 * b);
  const z = f((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.08883);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

describe.each(['', 'wa-dark'])('colors of the theme “%s”', (theme) => {
  it.each(Object.entries(vision))('differ for %s vision, and from the page', async (_, matrix) => {
    document.documentElement.className = theme;
    const chart = await shown();
    const colourOf = (name: string) =>
      linearOf(getComputedStyle(chart).getPropertyValue(`--chart-${name}`).trim());
    for (const [one, other] of pairs) {
      const [from, to] = [labOf(colourOf(one), matrix), labOf(colourOf(other), matrix)];
      const distance = Math.hypot(...from.map((value, at) => value - (to[at] ?? 0)));
      expect(distance, `${one} and ${other}`).toBeGreaterThan(25);
    }
    const light = (name: string) => {
      const [r = 0, g = 0, b = 0] = colourOf(name);
      return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05;
    };
    for (const role of roles) {
      const [page, bar] = [light('page'), light(role)];
      expect(Math.max(page, bar) / Math.min(page, bar), role).toBeGreaterThan(2.95);
    }
  });
});
