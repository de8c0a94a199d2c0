import { html } from 'lit';
import type { Session } from '../api/session.ts';
import { language, languages, texts } from '../locale/locale.ts';
import { selectField } from '../parts/fields.ts';
import { casesAddress, paths } from '../parts/navigation.ts';
import { environmentText } from '../parts/values.ts';
import type { Actions } from './search-items.ts';
import { type Theme, theme, themes } from './theme.ts';

const pages = [
  { name: 'today', href: paths.today, icon: 'inbox' },
  { name: 'orders', href: paths.orders, icon: 'package' },
  { name: 'cases', href: paths.cases, icon: 'list-checks' },
  { name: 'money', href: paths.money, icon: 'wallet' },
  { name: 'close', href: paths.close, icon: 'lock' },
  { name: 'journals', href: paths.journals, icon: 'book-text' },
  { name: 'imports', href: paths.imports, icon: 'file-up' },
  { name: 'sync', href: paths.sync, icon: 'calendar-days' },
  { name: 'actions', href: paths.actions, icon: 'history' },
  { name: 'help', href: paths.help, icon: 'circle-question-mark' },
] as const;

export type Choices = Omit<Actions, 'signOut'>;

/** Shows the navigation to the console's pages, and the language and theme pickers. */
export function navigationView(current: string | undefined, bar: Choices) {
  const { shell } = texts();
  return html`<nav id="navigation" aria-label=${shell.navigation}>
    ${pages.map(
      ({ name, href, icon }) =>
        html`<a
          href=${name === 'cases' ? casesAddress() : href}
          aria-current=${name === current ? 'page' : 'false'}
        >
          <wa-icon name=${icon}></wa-icon><span>${shell[name]}</span>
        </a>`,
    )}
    <div class="choices">
      ${choice(
        shell.language,
        Object.entries(languages).map(([code, { name }]) => [code, name]),
        language(),
        bar.setLanguage,
      )}
      ${choice(
        shell.theme,
        themes.map((one) => [one, shell.themes[one]]),
        theme(),
        (chosen) => bar.setTheme(chosen as Theme),
      )}
    </div>
  </nav>`;
}

interface TopBar {
  session: Session;
  isMenuOpen: boolean;
  toggleMenu: () => void;
  /** What the palette's commands do. */
  actions: Actions;
}

/** Shows the product name, the search field and the user. */
export function topBarView(bar: TopBar) {
  const { shell } = texts();
  const { environment, name } = bar.session;
  return html`<header class="top">
    <button
      class="menu plain"
      aria-label=${shell.menu}
      aria-expanded=${bar.isMenuOpen ? 'true' : 'false'}
      aria-controls="navigation"
      @click=${bar.toggleMenu}
    >
      <wa-icon name="menu"></wa-icon>
    </button>
    <a class="product" href=${paths.today}>${shell.product}</a>
    <wa-badge variant=${environment === 'production' ? 'danger' : 'neutral'} appearance="outlined"
      >${environmentText(environment)}</wa-badge
    >
    <console-search .actions=${bar.actions} .language=${language()}></console-search>
    <console-import-indicator .language=${language()}></console-import-indicator>
    <div class="person">
      <span class="name" title=${shell.signedInAs(name)}
        ><wa-icon name="user"></wa-icon> ${name}</span
      >
      <button class="plain" aria-label=${shell.signOut} @click=${bar.actions.signOut}>
        <wa-icon name="log-out"></wa-icon><span>${shell.signOut}</span>
      </button>
    </div>
  </header>`;
}

function choice(
  label: string,
  options: readonly (readonly [value: string, text: string])[],
  chosen: string,
  set: (value: string) => void,
) {
  return selectField(label, options, chosen, set, { hidesLabel: true });
}
