import { globSync } from 'node:fs';
import { type Page, splitHeading, table } from './markdown.ts';
import { referencePages } from './reference/pages.ts';
import { read, root } from './resolve.ts';
import { sections } from './sections.ts';

/** Returns all pages as Markdown: the repository's documents, and pages made from the code. */
export async function pages(): Promise<Page[]> {
  const files = globSync('docs/decisions/*.md', { cwd: root }).toSorted();
  const decisions = files.map((file) => ({
    id: `contribute/decisions/${file.replaceAll(/^.*\/|\.md$/g, '')}`,
    file,
    markdown: read(file),
  }));
  const documents = sections.flatMap(({ entries }) =>
    entries.flatMap(({ file, id }) =>
      file === undefined ? [] : [{ id, file, markdown: read(file) }],
    ),
  );
  return [
    { id: 'index', markdown: home() },
    { id: 'de', markdown: germanHome },
    ...Object.entries(inGerman).map(([id, file]) => ({
      id: `de/${id}`,
      file,
      markdown: read(file),
    })),
    { id: 'try', markdown: tryPage },
    ...documents,
    { id: 'contribute/decisions', markdown: listOf('Decisions', decisionsIntro, decisions) },
    ...decisions,
    ...(await referencePages()),
  ];
}

function home(): string {
  const roles = sections.flatMap(({ about, entries, label }) => {
    const [first] = entries;
    return about === undefined || first === undefined ? [] : [[`[${label}](/${first.id}/)`, about]];
  });
  return `# Financing Checkout

Let shoppers pay an order over time, in any web shop, with the money reconciled to the cent.
[Start here](/start/) describes the parts and the first steps; the [playground](/try/) shows the elements.

${table(['for', 'what is here'], roles)}

An error of the companion or of reconciliation has a code: [Errors](/errors/) has a page for each. The
[glossary](/contribute/glossary/) explains the words.
`;
}

/** Translated documents, by the path of the English page. */
const inGerman = {
  'finance/guide': 'docs/finance.de.md',
  'finance/closing': 'packages/reconciliation/docs/closing.de.md',
};

const germanHome = `# Financing Checkout

Käuferinnen und Käufer zahlen eine Bestellung in Raten, in jedem Webshop, und das Geld ist auf den Cent abgeglichen.
Auf Deutsch gibt es die Leitfäden [Abstimmung für die Finanzabteilung](/de/finance/guide/) und
[Einen Monat abschließen](/de/finance/closing/) sowie das Verzeichnis der [Abweichungen](/de/finance/exceptions/). Alles andere ist
auf [Englisch](/).
`;

const tryPage = `# Playground

- [Playground](/playground/): each element with its attributes, tokens and states, and the code to copy. It needs no
  companion; what it shows is simulated.
- [All states](/playground/?element=financing-checkout&state=all+states): each state of an element in each theme, color scheme,
  language and width.

\`npm start\` runs the complete shop: see [Start here](/start/).
`;

const decisionsIntro =
  'Each has its reason. The [architecture](/contribute/architecture/) is made of them.';

function listOf(title: string, intro: string, listed: readonly Page[]): string {
  const lines = listed.map((page) => `- [${splitHeading(page).title}](/${page.id}/)`);
  return `# ${title}\n\n${intro}\n\n${lines.join('\n')}\n`;
}
