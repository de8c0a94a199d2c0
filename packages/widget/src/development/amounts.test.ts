/*
 * In development, the console explains once why nothing is shown for an amount. This file needs a page of its own
 * (`vitest.config.ts`), because the entries for development change the elements for as long as a page exists.
 */
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { until } from '../clock.fixture.ts';
import { FakePublisher, part, programme } from '../message/programmes.fixture.ts';
import { mistakeIn } from './amounts.ts';
import './message-define.ts';
import './prequalify-define.ts';

let said: string[];

beforeEach(() => {
  said = [];
  vi.spyOn(console, 'warn').mockImplementation((text: string) => void said.push(text));
});

describe('a mistake in an amount', () => {
  it.each([
    [19.99 * 100, 'USD', 'rounding', ['1998.9999999999998', 'Math.round', '1999']],
    [890.5, 'USD', 'major-units', ['890.5', '$890.50', '89050']],
    ['890.00', 'USD', 'major-units', ['"890.00"', '$890.00', '89000']],
    ['1299.00', 'JPY', 'major-units', ['¥1,299', '1299']],
    ['1.299', 'KWD', 'major-units', ['1299']],
    ['$890.00', 'USD', 'formatted', ['"$890.00"', '89000']],
    ['1.299,00 €', 'EUR', 'formatted', ['129900']],
    ['$1,299', 'USD', 'formatted', ['129900']],
    ['¥129,900', 'JPY', 'formatted', ['129900']],
    ['CHF 1’299.50', 'CHF', 'formatted', ['129950']],
    ['1e4', 'USD', 'notation', ['"1e4"', '10000']],
    [NaN, 'USD', 'not-a-number', ['NaN']],
    ['undefined', 'USD', 'not-a-number', ['"undefined"']],
    [{}, 'USD', 'not-a-number', ['[object Object]']],
    [true, 'USD', 'not-a-number', ['true']],
    [Infinity, 'USD', 'not-a-number', ['Infinity']],
    ['', 'USD', 'empty', ['remove it']],
    [-1, 'USD', 'negative', ['-1']],
    [1e15, 'USD', 'too-large', ['1000000000000000']],
    [890.5, 'US$', 'major-units', ['890.5', '89050']],
  ])('%s in %s is %s', (amount, currency, kind, words) => {
    const mistake = mistakeIn(amount, currency, []);
    expect(mistake?.kind).toBe(kind);
    for (const word of words) expect(mistake?.advice).toContain(word);
  });

  it.each([129_900, '129900', ' 129900 ', 129_900n, 0, '0', null, undefined])(
    'is not found in %s',
    (amount) => expect(mistakeIn(amount, 'USD', [programme()])).toBeUndefined(),
  );

  it('is suspected below the smallest programme if a hundred times the amount fits one', () => {
    const mistake = mistakeIn(890, 'USD', [programme()]);
    expect(mistake?.kind).toBe('small');
    for (const word of ['890', '$8.90', '$50.00', '$890.00', '89000']) {
      expect(mistake?.advice).toContain(word);
    }
    expect(mistakeIn(5_000, 'USD', [programme()])).toBeUndefined();
    expect(mistakeIn(49, 'USD', [programme()])).toBeUndefined();
    expect(mistakeIn(890, 'EUR', [programme()])).toBeUndefined();
    expect(mistakeIn(890, 'USD', [])).toBeUndefined();
  });

  it('does not quote a long text', () => {
    expect(mistakeIn('x'.repeat(500), 'USD', [])?.advice.length).toBeLessThan(200);
  });
});

// Each kind of mistake is reported once per element.
describe('the console', () => {
  it('warns once about a message that shows nothing', async () => {
    const publisher = new FakePublisher(programme());
    publisher.remember(programme());
    const element = await publisher.mount({ amount: String(19.99 * 100) });
    expect(said).toHaveLength(1);
    expect(said[0]).toMatch(/^<financing-message> amount is "1998\.9999999999998"/);
    await publisher.mount({ amount: String(29.99 * 100 + 0.0000000001) });
    element.amount = 89_000;
    await element.updateComplete;
    expect(part(element, 'text')?.textContent).toContain('$37.08');
    expect(said).toHaveLength(1);
    element.amount = '$890.00';
    await element.updateComplete;
    expect(said).toHaveLength(2);
  });

  it('warns about dollars once the programmes are known', async () => {
    const publisher = new FakePublisher(programme());
    await publisher.mount({ amount: '890' });
    await until(() => expect(said).toHaveLength(1));
    expect(said[0]).toContain('89000');
  });

  it('warns once that the companion publishes no programmes, and names the variable', async () => {
    const publisher = new FakePublisher();
    await publisher.mount();
    await until(() => expect(said).toHaveLength(1));
    expect(said[0]).toMatch(/^<financing-message> shows nothing: .* FINANCING_PROGRAMMES_FILE\.$/);
    await publisher.mount({ amount: '95000' });
    expect(said).toHaveLength(1);
  });

  it.each([NaN, '890.00', '$890.00'])('warns about %s in an application', async (amount) => {
    const element = document.createElement('financing-prequalify');
    element.currency = 'USD';
    element.amount = amount;
    document.body.append(element);
    await element.updateComplete;
    expect(said).toHaveLength(1);
    expect(said[0]).toMatch(/^<financing-prequalify> amount is /);
  });

  it.each([129_900, '129900', '', undefined])('does not warn about %s', async (amount) => {
    const element = document.createElement('financing-prequalify');
    if (amount !== undefined) element.amount = amount;
    document.body.append(element);
    await element.updateComplete;
    const publisher = new FakePublisher(programme());
    if (amount !== '')
      await publisher.mount({ amount: amount === undefined ? amount : String(amount) });
    expect(said).toEqual([]);
  });
});
