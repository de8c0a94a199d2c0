import { programmesSchema } from '@financing-checkout/contract/storefront';
import type { Programme, Programmes } from '@financing-checkout/contract/storefront';
import { fixture, html } from '@open-wc/testing';
import { vi } from 'vitest';
import type { FinancingMessage } from './index.ts';
import './define.ts';

const text = {
  id: 'text-1',
  language: 'en',
  text: 'From {payment} a month for {count} months at {apr} APR. Total {total}.',
  disclosure: { url: 'https://lender.example/terms', label: 'Terms apply' },
  sha256: 'a'.repeat(64),
};

/** Returns a programme that conforms to the contract: 24 monthly payments without interest. */
export function programme(over: Partial<Programme> = {}): Programme {
  const made = {
    id: 'programme-1',
    lender: { name: 'Example Lender' },
    productType: 'Installments',
    currency: 'USD',
    amount: { min: 5_000, max: 500_000 },
    apr: '0',
    payments: { count: 24, period: 'Month', rounding: 'half-up' },
    texts: [text],
    ...over,
  } as const;
  const [parsed] = programmesSchema.parse({ programmes: [made] }).programmes;
  if (!parsed) throw new Error('There is no programme.');
  return parsed;
}

/** Returns a programme with custom text, in one or more languages. */
export function saying(words: string | Record<string, string>, over: Partial<Programme> = {}) {
  const all = typeof words === 'string' ? { en: words } : words;
  const texts = Object.entries(all).map(([language, said]) => ({
    ...text,
    id: `text-${language}`,
    language,
    text: said,
    disclosure: undefined,
  }));
  return programme({ ...over, texts });
}

let count = 0;

/** Replaces `fetch` with a companion that publishes programmes at its own URL. */
export class FakePublisher {
  readonly companion = `https://companion-${++count}.example`;
  readonly requests: Request[] = [];
  #answer: () => Response | Promise<Response>;

  constructor(...programmes: Programme[]) {
    this.#answer = () => Response.json({ programmes } satisfies Programmes);
    const before = globalThis.fetch;
    vi.spyOn(globalThis, 'fetch').mockImplementation((input, init) => {
      const request = new Request(input, init);
      if (request.url !== `${this.companion}/programmes`) return before(input, init);
      this.requests.push(request);
      return Promise.resolve().then(() => this.#answer());
    });
  }

  answer(answer: () => Response | Promise<Response>): void {
    this.#answer = answer;
  }

  publish(...programmes: Programme[]): void {
    this.#answer = () => Response.json({ programmes });
  }

  /** Stores programmes in the cache, as an earlier page of the shop would. */
  remember(...programmes: Programme[]): void {
    const text = JSON.stringify({ programmes });
    localStorage.setItem(`${this.companion}/programmes`, `${Date.now()}${text}`);
  }

  async mount(over: Record<string, string | undefined> = {}): Promise<FinancingMessage> {
    const element = document.createElement('financing-message');
    const attributes: Record<string, string | undefined> = {
      amount: '89000',
      currency: 'USD',
      companion: this.companion,
      ...over,
    };
    for (const [name, value] of Object.entries(attributes)) {
      if (value !== undefined) element.setAttribute(name, value);
    }
    const place = await fixture<HTMLElement>(html`<div></div>`);
    place.append(element);
    await element.updateComplete;
    return element;
  }
}

export function part(element: FinancingMessage, name: string): HTMLElement | null {
  return element.shadowRoot?.querySelector<HTMLElement>(`[part=${name}]`) ?? null;
}

/** Returns the visible text of a message. */
export function read(element: FinancingMessage): string {
  const message = part(element, 'message');
  return message?.checkVisibility() ? message.innerText.replaceAll(/\s+/g, ' ').trim() : '';
}
