import { html } from 'lit';
import { Task } from '@lit/task';
import { addressOf, call } from '../api/client.ts';
import { texts } from '../locale/locale.ts';
import { filters, paths } from '../parts/navigation.ts';
import { Page } from '../parts/page.ts';
import './money/discounts.ts';
import './money/migration.ts';
import './money/months.ts';
import './money/radar.ts';
import './money/timing.ts';
import './money/walk.ts';
import type { Names } from './money/tab.ts';

const tabs = ['walk', 'months', 'discounts', 'radar', 'timing', 'migration'] as const;

/** Sums over many orders, one section at a time. The section is part of the URL. */
class MoneyPage extends Page {
  override readonly heading = texts().shell.money;
  /** Lenders and currencies in the fundings, for the filters. If empty, only "all" is offered. */
  readonly #names = new Task(this, {
    args: () => [] as const,
    task: async (_, { signal }): Promise<Names> => {
      const { rows } = await call('get /radar', { signal });
      const sorted = (values: string[]) => [...new Set(values)].filter(Boolean).sort();
      return {
        lenders: sorted(rows.map(({ lender }) => lender)),
        currencies: sorted(rows.map(({ currency }) => currency)),
      };
    },
  });

  protected override render() {
    const { money } = texts();
    const { tab: asked, period, ...kept } = filters();
    const shown = tabs.find((tab) => tab === asked) ?? 'walk';
    return html`<h1>${this.heading}</h1>
      <nav class="tabs" aria-label=${money.sections}>
        ${tabs.map(
          (tab) =>
            html`<a
              href=${addressOf(paths.money, tab === 'walk' ? { period, ...kept } : { tab, ...kept })}
              aria-current=${tab === shown ? 'page' : 'false'}
              >${money.tabs[tab]}</a
            >`,
        )}
      </nav>
      ${this.#tabView(shown)}`;
  }

  #tabView(shown: (typeof tabs)[number]) {
    const { search } = this;
    const names = this.#names.value ?? { lenders: [], currencies: [] };
    switch (shown) {
      case 'walk':
        return html`<money-walk .search=${search} .names=${names}></money-walk>`;
      case 'months':
        return html`<money-months .search=${search} .names=${names}></money-months>`;
      case 'discounts':
        return html`<money-discounts .search=${search} .names=${names}></money-discounts>`;
      case 'radar':
        return html`<money-radar .search=${search} .names=${names}></money-radar>`;
      case 'timing':
        return html`<money-timing .search=${search} .names=${names}></money-timing>`;
      case 'migration':
        return html`<money-migration .search=${search} .names=${names}></money-migration>`;
    }
  }
}

customElements.define('console-money', MoneyPage);
