/** A page in the sidebar. */
export interface Entry {
  /** Path of the page, without leading and trailing slashes. */
  id: string;
  label: string;
  /** Label on German pages. @default the English one */
  german?: string;
  /** The Markdown file, from the repository's folder; undefined if the page is made from the code. */
  file?: string;
}

/** A section of the sidebar. */
export interface Section {
  label: string;
  german: string;
  /** What a reader finds in it. The home page lists sections that have this text, by role. */
  about?: string;
  collapsed?: boolean;
  entries: readonly Entry[];
}

/** The sidebar. Every document is a file in the repository, which the site includes as is. */
export const sections: readonly Section[] = [
  {
    label: 'Start',
    german: 'Einstieg',
    entries: [
      { id: 'index', label: 'Home', german: 'Startseite' },
      { id: 'start', label: 'Start here', file: 'README.md' },
      { id: 'first-hour', label: 'First hour with real keys', file: 'docs/first-hour.md' },
      { id: 'try', label: 'Playground and states' },
      { id: 'changes', label: 'Changes', file: 'CHANGELOG.md' },
    ],
  },
  {
    label: 'Storefront developers',
    german: 'Shop-Entwicklung',
    about: 'Put the elements into a page, sign the order, receive the result.',
    entries: [
      { id: 'storefront/elements', label: 'The elements', file: 'packages/widget/README.md' },
      { id: 'storefront/order-ticket', label: 'The order ticket', file: 'docs/order-ticket.md' },
      {
        id: 'storefront/ticket',
        label: 'Signing and receiving',
        file: 'packages/ticket/README.md',
      },
      {
        id: 'storefront/before-checkout',
        label: 'Before the checkout',
        file: 'packages/server/docs/before-checkout.md',
      },
      {
        id: 'storefront/integrations',
        label: 'Integrations',
        file: 'examples/integrations/README.md',
      },
      { id: 'storefront/shop', label: 'The example shop', file: 'examples/shop/README.md' },
      {
        id: 'storefront/playground',
        label: 'The playground',
        file: 'examples/playground/README.md',
      },
      { id: 'storefront/key-fence', label: 'The key fence', file: 'packages/key-fence/README.md' },
    ],
  },
  {
    label: 'Operators',
    german: 'Betrieb',
    about: 'Run the companion and reconciliation: set up, watch, back up, upgrade.',
    entries: [
      { id: 'operate/production', label: 'Production', file: 'docs/production.md' },
      { id: 'operate/on-call', label: 'On-call cards', file: 'docs/on-call.md' },
      { id: 'operate/companion', label: 'The companion', file: 'packages/server/README.md' },
      {
        id: 'operate/deploying',
        label: 'Deploying the companion',
        file: 'packages/server/docs/deploying.md',
      },
      {
        id: 'operate/charges-and-messages',
        label: 'Charges and messages',
        file: 'packages/server/docs/charges-and-messages.md',
      },
      { id: 'operate/store', label: 'Store and work', file: 'packages/server/docs/store.md' },
      {
        id: 'operate/companion-metrics',
        label: 'Metrics of the companion',
        file: 'packages/server/docs/metrics.md',
      },
      {
        id: 'operate/reconciliation-metrics',
        label: 'Metrics of reconciliation',
        file: 'packages/reconciliation/docs/metrics.md',
      },
      { id: 'operate/lake', label: 'The lake', file: 'packages/reconciliation/docs/lake.md' },
      { id: 'operate/apis', label: 'What the programs exchange', file: 'docs/apis.md' },
      { id: 'operate/security', label: 'Attacks and defenses', file: 'docs/security.md' },
      { id: 'operate/privacy', label: 'Personal data', file: 'docs/privacy.md' },
      { id: 'operate/vulnerabilities', label: 'Reporting a vulnerability', file: 'SECURITY.md' },
    ],
  },
  {
    label: 'Finance',
    german: 'Finanzabteilung',
    about: 'See whether lenders paid what they owe, work on exceptions, close the month.',
    entries: [
      {
        id: 'finance/guide',
        label: 'First hour and month',
        german: 'Erste Stunde, erster Monat',
        file: 'docs/finance.md',
      },
      {
        id: 'finance/reconciliation',
        label: 'Reconciliation',
        file: 'packages/reconciliation/README.md',
      },
      { id: 'finance/console', label: 'The console', file: 'packages/console/README.md' },
      {
        id: 'finance/importing',
        label: 'Importing ledger lines',
        file: 'packages/reconciliation/docs/importing.md',
      },
      {
        id: 'finance/closing',
        label: 'Closing a month',
        german: 'Einen Monat abschließen',
        file: 'packages/reconciliation/docs/closing.md',
      },
      {
        id: 'finance/journals',
        label: 'Journals',
        file: 'packages/reconciliation/docs/journals.md',
      },
      { id: 'finance/lake', label: 'Lake', file: 'packages/reconciliation/docs/lake.md' },
      { id: 'finance/rules', label: 'The rules', file: 'packages/reconciliation-rules/README.md' },
      { id: 'finance/exceptions', label: 'Exceptions', german: 'Abweichungen' },
    ],
  },
  {
    label: 'Reference',
    german: 'Nachschlagen',
    about: 'Elements, variables, options, commands, operations and errors, made from the code.',
    entries: [
      { id: 'reference/financing-checkout', label: '<financing-checkout>' },
      { id: 'reference/financing-message', label: '<financing-message>' },
      { id: 'reference/financing-prequalify', label: '<financing-prequalify>' },
      { id: 'reference/variables', label: 'Variables' },
      { id: 'reference/library', label: 'Options of the libraries' },
      { id: 'reference/financing-companion', label: 'financing-companion' },
      { id: 'reference/financing-reconcile', label: 'financing-reconcile' },
      { id: 'reference/financing-sandbox', label: 'financing-sandbox' },
      { id: 'reference/companion-api', label: 'Companion API' },
      { id: 'reference/reconciliation-api', label: 'Reconciliation API' },
      { id: 'reference/routes', label: 'Terms of each route', file: 'docs/routes.md' },
      { id: 'errors', label: 'Errors' },
    ],
  },
  {
    label: 'Contributors',
    german: 'Mitarbeit',
    about: 'Build, test and extend the project, and the reasons behind it.',
    entries: [
      { id: 'contribute/contributing', label: 'Contributing', file: 'CONTRIBUTING.md' },
      { id: 'contribute/architecture', label: 'Architecture', file: 'docs/architecture.md' },
      { id: 'contribute/decisions', label: 'Decisions' },
      { id: 'contribute/glossary', label: 'Glossary', file: 'docs/glossary.md' },
      {
        id: 'contribute/service-coverage',
        label: 'Coverage of the service',
        file: 'docs/service-coverage.md',
      },
      { id: 'contribute/publishing', label: 'Publishing', file: 'docs/publishing.md' },
      { id: 'contribute/sandbox', label: 'The sandbox', file: 'packages/sandbox/README.md' },
      { id: 'contribute/contract', label: 'The contract', file: 'packages/contract/README.md' },
      { id: 'contribute/kit', label: 'The kit', file: 'packages/kit/README.md' },
    ],
  },
];
