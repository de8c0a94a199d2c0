import ts from 'typescript';

/**
 * Compiles a project in this process and returns its errors as lines of `tsc --pretty false -p`. Loading
 * the compiler and the shared declarations takes longer than most projects, so all share them.
 * @param project path of a tsconfig.json
 * @param folder folder to which file names in the errors are relative
 */
export function errorsOf(project: string, folder: string): string {
  const names = {
    getCurrentDirectory: () => folder,
    getCanonicalFileName: (name: string) => name,
    getNewLine: () => '\n',
  };
  const parsed = ts.getParsedCommandLineOfConfigFile(project, undefined, {
    ...ts.sys,
    onUnRecoverableConfigFileDiagnostic: (diagnostic) => {
      throw new Error(ts.formatDiagnostic(diagnostic, names));
    },
  });
  if (!parsed) throw new Error(`${project} is no project.`);
  const { errors, fileNames: rootNames, options, projectReferences } = parsed;
  const program = ts.createProgram({
    rootNames,
    options,
    host: sharingHost(options),
    configFileParsingDiagnostics: errors,
    ...(projectReferences && { projectReferences }),
  });
  return ts.formatDiagnostics(ts.getPreEmitDiagnostics(program), names);
}

/** Parsed files by name and settings; all projects use the same declarations of the language. */
const read = new Map<string, ts.SourceFile>();

function sharingHost(options: ts.CompilerOptions): ts.CompilerHost {
  const host = ts.createCompilerHost(options);
  return {
    ...host,
    getSourceFile(name, how, ...more) {
      const format = typeof how === 'object' ? how.impliedNodeFormat : undefined;
      const key = [name, format, options.target, options.module, options.strict].join('\n');
      const file = read.get(key) ?? host.getSourceFile(name, how, ...more);
      if (file) read.set(key, file);
      return file;
    },
  };
}
