import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { type Page, table } from '../markdown.ts';

/** The entry points whose options are listed, in page order. */
const entries = [
  '@financing-checkout/server',
  '@financing-checkout/server/node',
  '@financing-checkout/ticket',
];

/** Names of option types that have their own table. */
const nestedTypes = /(?:Options|Budgets?|Target|Token)$/;

const code = (text: string) => `\`${text.replaceAll(/\s*\n\s*/g, ' ')}\``;
const wordsOf = (parts: ts.SymbolDisplayPart[] | undefined) =>
  ts
    .displayPartsToString(parts)
    .replaceAll(/\{@link (\w+)\}/g, '`$1`')
    .trim();

/** Types by symbol, each with whether all of its options may be omitted. */
type OptionTypes = Map<ts.Symbol, { isPartial: boolean }>;

/** Adds the option types that a module exports, each followed by those of its options. */
function addOptionTypes(checker: ts.TypeChecker, file: ts.SourceFile, found: OptionTypes): void {
  const add = (name: ts.Symbol, isPartial: boolean) => {
    const isAlias = (name.flags & ts.SymbolFlags.Alias) !== 0;
    const symbol = isAlias ? checker.getAliasedSymbol(name) : name;
    const isInterface = (symbol.flags & ts.SymbolFlags.Interface) !== 0;
    if (!isInterface || !nestedTypes.test(symbol.name) || found.has(symbol)) return;
    found.set(symbol, { isPartial });
    for (const option of checker.getPropertiesOfType(checker.getDeclaredTypeOfSymbol(symbol))) {
      for (const node of option.declarations ?? []) visit(node, false);
    }
  };
  const visit = (node: ts.Node, isPartial: boolean): void => {
    const symbol = ts.isTypeReferenceNode(node)
      ? checker.getSymbolAtLocation(node.typeName)
      : undefined;
    if (symbol !== undefined) add(symbol, isPartial);
    ts.forEachChild(node, (child) => visit(child, symbol?.name === 'Partial'));
  };
  const module = checker.getSymbolAtLocation(file);
  for (const one of module === undefined ? [] : checker.getExportsOfModule(module)) {
    if (one.name.endsWith('Options')) add(one, false);
  }
}

/** Returns a type as text; for an inferred group of settings, lists its members. */
function typeText(checker: ts.TypeChecker, type: ts.Type): string {
  const isGiven = ({ flags }: ts.Type) => (flags & ts.TypeFlags.Undefined) === 0;
  const parts = (type.isUnion() ? type.types : [type]).filter(isGiven);
  const isGroup = ({ aliasSymbol }: ts.Type) => aliasSymbol?.name === 'Flat';
  if (!parts.some(isGroup)) {
    return checker.typeToString(type, undefined, ts.TypeFormatFlags.NoTruncation);
  }
  return parts
    .map((part) => {
      if (!isGroup(part)) return checker.typeToString(part);
      const members = checker
        .getPropertiesOfType(part)
        .map((member) => {
          const mark = (member.flags & ts.SymbolFlags.Optional) === 0 ? '' : '?';
          return `${member.name}${mark}: ${typeText(checker, checker.getTypeOfSymbol(member))}`;
        })
        .join('; ');
      return `{ ${members} }`;
    })
    .join(' | ');
}

function optionRow(checker: ts.TypeChecker, option: ts.Symbol, isPartial: boolean): string[] {
  const [declaration] = option.declarations ?? [];
  const written =
    declaration !== undefined && ts.isPropertySignature(declaration) ? declaration.type : undefined;
  const type = written?.getText() ?? typeText(checker, checker.getTypeOfSymbol(option));
  const isOptional = (option.flags & ts.SymbolFlags.Optional) !== 0;
  const fallback = option.getJsDocTags(checker).find(({ name }) => name === 'default')?.text;
  const meaning = [
    isOptional || isPartial ? '' : 'Required.',
    wordsOf(option.getDocumentationComment(checker)),
    fallback === undefined ? '' : `Default: ${wordsOf(fallback)}.`,
  ];
  return [code(option.name), code(type), meaning.filter(Boolean).join(' ')];
}

/** Returns the page with the libraries' options, from the declarations that they publish. */
export function libraryPage(): Page {
  const files = new Map(
    entries.map((entry) => [
      entry,
      fileURLToPath(import.meta.resolve(entry)).replace(/\.js$/, '.d.ts'),
    ]),
  );
  const program = ts.createProgram([...files.values()], {
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    skipLibCheck: true,
    types: [],
  });
  const checker = program.getTypeChecker();
  const found: OptionTypes = new Map();
  const sections = Array.from(files, ([entry, path]) => {
    const file = program.getSourceFile(path);
    if (file === undefined) throw new Error(`${entry} has no declarations at ${path}.`);
    const { size } = found;
    addOptionTypes(checker, file, found);
    const parts = Array.from(found)
      .slice(size)
      .map(([symbol, { isPartial }]) =>
        [
          `### ${symbol.name}`,
          wordsOf(symbol.getDocumentationComment(checker)),
          table(
            ['option', 'type', 'meaning'],
            checker
              .getPropertiesOfType(checker.getDeclaredTypeOfSymbol(symbol))
              .map((option) => optionRow(checker, option, isPartial)),
          ),
        ]
          .filter(Boolean)
          .join('\n\n'),
      );
    return `## ${entry}\n\n${parts.join('\n\n')}`;
  });
  return {
    id: 'reference/library',
    markdown: `# Options of the libraries

The types of options that the packages for your own program export, from their declarations.
[The companion](/operate/companion/#in-your-own-hono-app) shows how they fit together, and
[Signing and receiving](/storefront/ticket/) what the shop's backend needs. The command reads
[variables](/reference/variables/) instead, which have the meaning of each setting.

${sections.join('\n\n')}
`,
  };
}
