import { posix } from 'node:path';
import type { Archive } from './archive.ts';
import {
  MAX_ENTRIES,
  MAX_KEPT,
  MAX_SHEET_NAME,
  MAX_STYLES,
  unpacksTooLarge,
  unreadableWorkbook,
} from './limits.ts';
import { SharedTexts, textReader } from './shared-texts.ts';
import { attribute, type Attributes, isTrue, type PartReader, readWholePart } from './xml.ts';

export interface Sheet {
  name: string;
  /**
   * Name of the sheet's part in the archive; undefined for chart, dialog and macro sheets, which
   * have no rows.
   */
  part: string | undefined;
  isHidden: boolean;
}

export interface WorkbookParts {
  /** In display order. */
  sheets: Sheet[];
  /** Whether dates count from 1904. */
  is1904: boolean;
  /**
   * Whether formulas must be computed when the workbook is opened, because the writing program did
   * not.
   */
  isUncomputed: boolean;
  /** Whether a number with this cell format is a date; `undefined` for an unknown format. */
  isDate: (style: number) => boolean | undefined;
  texts: SharedTexts;
}

/** Relationship types end with these words in both conformance classes (ECMA-376 part 1, 12.3). */
const relation =
  /^http:\/\/(?:schemas\.openxmlformats\.org|purl\.oclc\.org\/ooxml)\/officeDocument\/(?:2006\/)?relationships\/(\w+)$/;
const macroSheet =
  /^http:\/\/schemas\.microsoft\.com\/office\/2006\/relationships\/xl(?:Intl)?Macrosheet$/;

interface Relation {
  id: string;
  /** Type such as `worksheet`; empty for a type that is not read. */
  type: string;
  part: string;
}

/** Reads the parts of a workbook that its sheets refer to. @throws {LedgerImportError} */
export async function readParts(archive: Archive): Promise<WorkbookParts> {
  const [main] = (await relationsOf(archive, '')).filter(({ type }) => type === 'officeDocument');
  if (main === undefined) throw unreadableWorkbook();
  const relations = await relationsOf(archive, main.part);
  const reader = new WorkbookReader();
  const { is1904, isUncomputed } = await readKept(archive, main.part, reader, 'its list of sheets');
  const partOf = (type: string) => relations.find((one) => one.type === type)?.part;
  const sheets = reader.sheets.map(({ id, isHidden, name }): Sheet => {
    const { part, type = '' } = relations.find((one) => one.id === id) ?? {};
    const isWorksheet = type === 'worksheet';
    if (!isWorksheet && !/^(?:chart|dialog|macro)sheet$/.test(type)) throw unreadableWorkbook();
    return { name, isHidden, part: isWorksheet ? part : undefined };
  });
  if (new Set(sheets.map(({ name }) => name)).size < sheets.length) throw unreadableWorkbook();
  const styles = partOf('styles');
  const { isDate } =
    styles === undefined
      ? { isDate: () => false }
      : await readKept(archive, styles, new StylesReader(), 'its list of cell formats');
  const shared = partOf('sharedStrings');
  const texts = new SharedTexts(shared === undefined ? 0 : keptSize(archive, shared));
  if (shared !== undefined) {
    await readKept(archive, shared, textReader(texts), 'its list of shared texts');
  }
  return { sheets, is1904, isUncomputed, isDate, texts };
}

/** Reads a part whose content is kept in memory. */
async function readKept<Reader extends PartReader>(
  archive: Archive,
  part: string,
  reader: Reader,
  place: string,
): Promise<Reader> {
  keptSize(archive, part);
  return readWholePart(archive.read(part), reader, place);
}

function keptSize(archive: Archive, part: string): number {
  const size = archive.sizeOf(part);
  if (size === undefined) throw unreadableWorkbook();
  if (size > MAX_KEPT) throw unpacksTooLarge();
  return size;
}

/** Returns the relationships of a part; `''` is the package (ECMA-376 part 2, 6.5). */
async function relationsOf(archive: Archive, part: string): Promise<Relation[]> {
  const folder = posix.dirname(part);
  const list = posix.join(folder, '_rels', `${posix.basename(part)}.rels`);
  const relations: Relation[] = [];
  await readKept(
    archive,
    list,
    {
      open(name, parent, attributes) {
        if (name !== 'Relationship' || parent !== 'Relationships') {
          return name === 'Relationships' && parent === '';
        }
        const type = attribute(attributes, 'Type') ?? '';
        const known = macroSheet.test(type) ? 'macrosheet' : relation.exec(type)?.[1];
        if (known === undefined || attribute(attributes, 'TargetMode') === 'External') return false;
        if (relations.length === MAX_ENTRIES) throw unpacksTooLarge();
        const target = attribute(attributes, 'Target') ?? '';
        relations.push({
          id: attribute(attributes, 'Id') ?? '',
          type: known,
          part: posix.join('/', target.startsWith('/') ? '' : folder, target).slice(1),
        });
        return false;
      },
    },
    'its list of parts',
  );
  return relations;
}

/** Reads `xl/workbook.xml` (ECMA-376 part 1, 18.2). */
class WorkbookReader implements PartReader {
  readonly sheets: { id: string; name: string; isHidden: boolean }[] = [];
  is1904 = false;
  isUncomputed = false;

  open(name: string, parent: string, attributes: Attributes): boolean {
    if (parent === '') return requireRoot(name, 'workbook');
    if (parent === 'workbook' && name === 'workbookPr') {
      this.is1904 = isTrue(attribute(attributes, 'date1904'));
    }
    if (parent === 'workbook' && name === 'calcPr') {
      this.isUncomputed = isTrue(attribute(attributes, 'fullCalcOnLoad'));
    }
    if (parent === 'sheets' && name === 'sheet') this.#addSheet(attributes);
    return parent === 'workbook' && name === 'sheets';
  }

  #addSheet(attributes: Attributes): void {
    const name = attribute(attributes, 'name') ?? '';
    const id = Object.values(attributes).find(
      ({ local, uri }) => local === 'id' && uri.endsWith('/relationships'),
    );
    if (id === undefined || name === '' || name.length > MAX_SHEET_NAME) throw unreadableWorkbook();
    if (this.sheets.length === MAX_ENTRIES) throw unpacksTooLarge();
    const state = attribute(attributes, 'state') ?? 'visible';
    this.sheets.push({ name, id: id.value, isHidden: state !== 'visible' });
  }
}

/** Reads the number formats of `xl/styles.xml` (ECMA-376 part 1, 18.8). */
class StylesReader implements PartReader {
  /** Numbers of the formats that the workbook itself defines. */
  readonly #formats = new Map<number, boolean>();
  readonly #styles: number[] = [];

  readonly isDate = (style: number): boolean | undefined => {
    const format = this.#styles[style];
    return format === undefined ? undefined : (this.#formats.get(format) ?? isDateFormat(format));
  };

  open(name: string, parent: string, attributes: Attributes): boolean {
    if (parent === '') return requireRoot(name, 'styleSheet');
    if (parent === 'styleSheet') return name === 'numFmts' || name === 'cellXfs';
    const format = Number(attribute(attributes, 'numFmtId') ?? 0);
    if (this.#formats.size + this.#styles.length > MAX_STYLES) throw unpacksTooLarge();
    if (parent === 'cellXfs' && name === 'xf') this.#styles.push(format);
    if (parent === 'numFmts' && name === 'numFmt') {
      this.#formats.set(format, isDateFormat(attribute(attributes, 'formatCode') ?? ''));
    }
    return false;
  }
}

function requireRoot(name: string, root: string): true {
  if (name !== root) throw unreadableWorkbook();
  return true;
}

/**
 * Built-in date and time formats, including those of East Asian languages (ECMA-376 part 1,
 * 18.8.30).
 */
const builtIn = new Set([
  ...[14, 15, 16, 17, 18, 19, 20, 21, 22, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36],
  ...[45, 46, 47, 50, 51, 52, 53, 54, 55, 56, 57, 58, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81],
]);

/** Elapsed hours, minutes or seconds. */
const elapsed = /\[(?:h+|m+|s+)\]/i;
/** Literal texts, colors, conditions and locales in a format. They may contain any letter. */
const literal = /"[^"]*"?|\\.|[_*].|\[[^\]]*\]|General|E[+-]/gi;

/**
 * Returns whether numbers with a format are dates or times.
 * @param format number of a built-in format, or a format code, whose first section applies to dates
 */
function isDateFormat(format: number | string): boolean {
  if (typeof format === 'number') return builtIn.has(format);
  const code = format.replace(elapsed, 'h').replace(literal, '');
  return /[dmyhsgeb]/i.test(code.split(';', 1)[0] ?? '');
}
