import { beforeEach, describe, expect, it, vi } from 'vitest';
import { cdp, userEvent } from 'vitest/browser';
import base from '../styles/base.css?inline';
import parts from '../styles/parts.css?inline';
import { setZone } from '../locale/locale.ts';
import { useStyles } from '../styles.fixture.ts';
import type { ChartContent } from './bars.ts';
import './chart.ts';

useStyles(base, parts);

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
      color: 'brand',
    },
  ],
  isLying: true,
};

beforeEach(() => setZone('UTC'));

async function shown(changed: Partial<ChartContent> = {}, width = 800): Promise<HTMLElement> {
  const chart = document.createElement('console-chart');
  Object.assign(chart, { label: 'Cash walk', content: { ...content, ...changed } });
  const place = document.createElement('div');
  place.style.width = `${width}px`;
  place.append(chart);
  document.body.append(place);
  await expect.poll(() => chart.querySelector('svg')).not.toBeNull();
  return chart;
}

const barsOf = (chart: Element) => [...chart.querySelectorAll<SVGElement>('.bars [data-index]')];
const textsIn = (part: Element, selector = 'svg text') =>
  [...part.querySelectorAll(selector)].map((text) => text.textContent);
const namesOf = (chart: Element) => barsOf(chart).map((bar) => bar.getAttribute('aria-label'));

describe('values', () => {
  it('writes the value of each bar where there is room', async () => {
    expect(textsIn(await shown(), '.values text')).toEqual(['$10.00', '-$0.50', '$9.50']);
  });

  it('writes a short value where there is no room for a long one', async () => {
    const many = Array.from({ length: 40 }, (_, index) => index + 1);
    const chart = await shown({
      labels: many.map(String),
      bars: [{ data: many, values: many.map(() => 'a very long value'), color: 'brand' }],
      isLying: false,
      tick: () => '7',
    });
    expect(textsIn(chart)).not.toContain('a very long value');
    expect(textsIn(chart, '.values text')).toContain('7');
  });

  it('has every value in the table', async () => {
    const chart = await shown();
    const cells = [...chart.querySelectorAll('td')].map((cell) => cell.textContent.trim());
    expect(cells).toEqual(['$10.00', '-$0.50', '$9.50']);
  });

  it('draws the bars at once, at the length that the axis states', async () => {
    const chart = await shown();
    const [settled, discount] = barsOf(chart).map(
      (bar) => bar.querySelector('.bar')?.getBoundingClientRect().width,
    );
    expect(settled).toBeGreaterThan(300);
    expect((discount ?? 0) / (settled ?? 1)).toBeCloseTo(0.05, 1);
  });

  it('gives a bar an edge of the color of the page in a stack alone, for it would cover a thin bar', async () => {
    const strokeOf = (chart: Element) =>
      getComputedStyle(chart.querySelector('.bar') ?? chart).stroke;
    expect(strokeOf(await shown())).toBe('none');
    expect(
      strokeOf(
        await shown({
          isStacked: true,
          bars: [{ ...content.bars[0], data: [1, 2, 3], values: [], color: 'good' }],
        }),
      ),
    ).toBe('rgb(255, 255, 255)');
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

  it('shows name and value of the bar that has the focus, within the chart', async () => {
    const chart = await shown({ labels: ['Settled', 'A step with a long name', 'Net'] }, 300);
    barsOf(chart)[1]?.focus();
    await expect.poll(() => textsIn(chart, 'text.tip')).toContain('-$0.50');
    const [plot, tip] = ['.plot', 'rect.tip'].map((part) =>
      chart.querySelector(part)?.getBoundingClientRect(),
    );
    expect(tip?.left).toBeGreaterThanOrEqual(plot?.left ?? Infinity);
    expect(tip?.right).toBeLessThanOrEqual(plot?.right ?? 0);
    barsOf(chart)[1]?.blur();
    await expect.poll(() => textsIn(chart, 'text.tip')).toEqual([]);
  });
});

describe('layout', () => {
  const months = Array.from({ length: 24 }, (_, index) => `Month ${index + 1}`);
  const values = months.map((_, index) => index * 100);
  const upright = {
    labels: months,
    bars: [{ data: values, values: values.map(String), color: 'brand' as const }],
    isLying: false,
  };

  it.each([
    [300, true],
    [300, false],
    [1000, true],
    [1000, false],
  ])('keeps all texts within %i pixels, and apart (lying: %s)', async (width, isLying) => {
    const chart = await shown({ ...upright, isLying, tick: (value) => `$${value}` }, width);
    const plot = chart.querySelector('.plot')?.getBoundingClientRect() ?? new DOMRect();
    const boxes = [...chart.querySelectorAll('svg text')].map((text) =>
      text.getBoundingClientRect(),
    );
    expect(boxes.length).toBeGreaterThan(6);
    for (const [index, box] of boxes.entries()) {
      expect(box.left).toBeGreaterThanOrEqual(plot.left - 1);
      expect(box.right).toBeLessThanOrEqual(plot.right + 1);
      for (const other of boxes.slice(index + 1)) {
        const isApart =
          box.right <= other.left + 1 ||
          other.right <= box.left + 1 ||
          // Lines of letters are lower than their boxes.
          box.bottom <= other.top + 4 ||
          other.bottom <= box.top + 4;
        expect(isApart).toBe(true);
      }
    }
  });

  it('keeps labels of several lines apart', async () => {
    const labels = ['Missing or posted wrongly', 'Accepted: with a reason, or within tolerance'];
    const many = Array.from({ length: 16 }, (_, index) => labels[index % 2] ?? '');
    const data = many.map(() => 100);
    const bars = [{ data, values: data.map(String), color: 'brand' as const }];
    const chart = await shown({ ...upright, isLying: true, labels: many, bars }, 430);
    const words = new Set(labels.join(' ').split(' '));
    const boxes = [...chart.querySelectorAll('svg text')]
      .filter((text) => words.has(text.textContent.trim().split(' ')[0] ?? ''))
      .map((text) => text.getBoundingClientRect())
      .sort((one, other) => one.top - other.top);
    expect(boxes.length).toBeGreaterThan(16);
    for (const [index, box] of boxes.slice(1).entries()) {
      expect(box.top).toBeGreaterThanOrEqual((boxes[index]?.bottom ?? Infinity) - 4);
    }
  });

  it('stacks the parts of a bar, and leaves out those without a length', async () => {
    const chart = await shown({
      isStacked: true,
      bars: [
        { label: 'Right', data: [4, 2, 0], values: ['4', '2', '0'], color: 'good' },
        { label: 'Wrong', data: [1, 0, 3], values: ['1', '0', '3'], color: 'bad' },
      ],
    });
    expect(namesOf(chart)).toEqual([
      'Settled, Right: 4',
      'Settled, Wrong: 1',
      'Discount, Right: 2',
      'Net, Wrong: 3',
    ]);
    const [right, wrong] = barsOf(chart).map((bar) =>
      bar.querySelector('.bar')?.getBoundingClientRect(),
    );
    expect(wrong?.left).toBeCloseTo(right?.right ?? 0, 0);
    expect(textsIn(chart)).toEqual(expect.arrayContaining(['Right', 'Wrong']));
  });

  it('starts below zero where values do', async () => {
    const chart = await shown({
      ...upright,
      labels: ['A', 'B'],
      bars: [{ data: [-5, 10], values: ['-5', '10'], color: 'brand' }],
    });
    const [low, high] = barsOf(chart).map((bar) =>
      bar.querySelector('.bar')?.getBoundingClientRect(),
    );
    expect(low?.top).toBeCloseTo(high?.bottom ?? 0, 0);
  });
});

describe('without colors', () => {
  it.each([{ media: 'print' }, { features: [{ name: 'forced-colors', value: 'active' }] }])(
    'fills each role in another way: %o',
    async (media) => {
      const roles = ['brand', 'good', 'bad', 'warn', 'neutral'] as const;
      const chart = await shown({
        labels: [...roles],
        bars: [{ data: roles.map(() => 1), values: roles.map(() => ''), color: roles }],
      });
      await cdp().send('Emulation.setEmulatedMedia', media);
      try {
        const fills = barsOf(chart).map((bar) => {
          const [color, hatch] = ['.bar', '.hatch'].map((part) => {
            const shape = bar.querySelector(part);
            return shape === null || getComputedStyle(shape).display === 'none'
              ? ''
              : getComputedStyle(shape).fill;
          });
          return `${color} ${hatch?.replace(/chart-\d+/, '')}`;
        });
        expect(new Set(fills).size).toBe(roles.length);
        expect(fills.filter((fill) => fill.includes('url'))).toHaveLength(3);
      } finally {
        await cdp().send('Emulation.setEmulatedMedia', { media: '', features: [] });
      }
    },
  );

  it('shows no hatching on a screen with colors', async () => {
    const hatch =
      (
        await shown({ bars: [{ ...content.bars[0], data: [1, 2, 3], values: [], color: 'good' }] })
      ).querySelector('.hatch') ?? document.body;
    expect(getComputedStyle(hatch).display).toBe('none');
  });
});

it('saves an image with title, scope, time and background, which needs no style sheet', async () => {
  const chart = await shown();
  let saved: Blob | undefined;
  vi.spyOn(URL, 'createObjectURL').mockImplementation((blob) => {
    if (blob instanceof Blob) saved = blob;
    return 'blob:image';
  });
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockReturnValue();
  chart.querySelector<HTMLButtonElement>('button')?.click();
  const text = (await saved?.text()) ?? '';
  const file = new DOMParser().parseFromString(text, 'image/svg+xml');
  const words = [...file.querySelectorAll('text')].map(({ textContent }) => textContent);
  expect(words.slice(0, 2)).toEqual(['Cash walk', 'Oct 1, 2026 to Oct 31, 2026']);
  expect(words).toEqual(expect.arrayContaining(['Settled', '$10.00']));
  expect(words.at(-1)).toMatch(/^As of Nov 27, 2026/);
  const valueText = [...file.querySelectorAll('text')].find((one) => one.textContent === '$10.00');
  expect(valueText?.getAttribute('font-size')).toBe('11px');
  // It leads to no address, and has no style that a page's policy could forbid.
  expect(text).not.toMatch(/href|style=|class=|<!--/);
  const image = new Image();
  image.src = `data:image/svg+xml,${encodeURIComponent(text)}`;
  await image.decode();
  expect(image.width).toBe(800 + 2 * 24);
  const canvas = new OffscreenCanvas(image.width, image.height);
  const context = canvas.getContext('2d');
  context?.drawImage(image, 0, 0);
  expect([...(context?.getImageData(0, 0, 1, 1).data ?? [])]).toEqual([255, 255, 255, 255]);
  const brand = [0x0b, 0x5d, 0x57, 255].join();
  const pixels = context?.getImageData(0, 0, image.width, image.height).data ?? [];
  const colors = new Set<string>();
  for (let at = 0; at < pixels.length; at += 4) colors.add(pixels.slice(at, at + 4).join());
  expect(colors).toContain(brand);
  expect(chart.querySelectorAll('svg')).toHaveLength(1);
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
function labOf(color: readonly number[], matrix: readonly (readonly number[])[]): number[] {
  const [r = 0, g = 0, b = 0] = matrix.map((row) =>
    Math.min(
      1,
      Math.max(
        0,
        row.reduce((sum, one, at) => sum + one * (color[at] ?? 0), 0),
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
    const colorOf = (name: string) =>
      linearOf(getComputedStyle(chart).getPropertyValue(`--chart-${name}`).trim());
    for (const [one, other] of pairs) {
      const [from, to] = [labOf(colorOf(one), matrix), labOf(colorOf(other), matrix)];
      const distance = Math.hypot(...from.map((value, at) => value - (to[at] ?? 0)));
      expect(distance, `${one} and ${other}`).toBeGreaterThan(25);
    }
    const light = (name: string) => {
      const [r = 0, g = 0, b = 0] = colorOf(name);
      return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05;
    };
    for (const role of roles) {
      const [page, bar] = [light('page'), light(role)];
      expect(Math.max(page, bar) / Math.min(page, bar), role).toBeGreaterThan(2.95);
    }
  });
});
