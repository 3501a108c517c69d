/** Small defects that a test should detect, and the places in a source where each is possible. */
import { parseSync, Visitor } from "rolldown/utils";

/** A part of a source, by position. */
export type Range = { readonly start: number; readonly end: number };

export interface Mutation extends Range {
  readonly replacement: string;
}

/** An operator and the one that replaces it. */
const OPERATORS: Readonly<Record<string, string>> = {
  "<": "<=",
  "<=": "<",
  ">": ">=",
  ">=": ">",
  "===": "!==",
  "!==": "===",
  "+": "-",
  "-": "+",
  "*": "/",
  "/": "*",
  "%": "*",
  "&&": "||",
  "||": "&&",
  "??": "&&",
};

/** From here on a number is a bound or a unit: one more is no defect that anybody would notice, twice as much is. */
const MIN_DOUBLED = 10;
/** What is logged is for people to read. It is not behaviour. */
const IS_LOG = /^(this\.)?(#?\w+\.)*#?log\??\.(trace|debug|info|warn|error|fatal)\(/;

/** Returns all mutations of a source. Shape: one per place, ascending. */
export function mutationsOf(file: string, source: string): Mutation[] {
  const found: Mutation[] = [];
  const ignored: Range[] = [];
  const add = (start: number, end: number, replacement: string) => found.push({ start, end, replacement });
  const operator = (left: { end: number }, right: { start: number }, symbol: string) => {
    const at = source.indexOf(symbol, left.end);
    const other = OPERATORS[symbol];
    if (other !== undefined && at < right.start) add(at, at + symbol.length, other);
  };
  new Visitor({
    TSLiteralType: ({ start, end }) => ignored.push({ start, end }),
    BinaryExpression: ({ left, right, operator: symbol }) => operator(left, right, symbol),
    LogicalExpression: ({ left, right, operator: symbol }) => operator(left, right, symbol),
    UnaryExpression({ operator: symbol, start, argument }) {
      if (symbol === "!") add(start, argument.start, "");
    },
    ConditionalExpression({ test, consequent, alternate, end }) {
      const [yes, no] = [consequent, alternate].map(({ start, end }) => source.slice(start, end));
      add(test.end, end, ` ? ${no} : ${yes}`);
    },
    IfStatement({ test, consequent, alternate }) {
      add(test.start, test.end, "false");
      if (!alternate && IS_LOG.test(source.slice(consequent.start, consequent.end))) ignored.push(test);
    },
    Literal({ value, start, end }) {
      if (typeof value === "boolean") add(start, end, String(!value));
      else if (typeof value === "number") add(start, end, String(value < MIN_DOUBLED ? value + 1 : value * 2));
    },
    CallExpression({ start, end }) {
      if (IS_LOG.test(source.slice(start, end))) ignored.push({ start, end: end + 1 });
    },
    ExpressionStatement({ expression, start, end }) {
      if (expression.type === "CallExpression") add(start, end, ";");
    },
    ReturnStatement({ argument }) {
      if (argument?.type === "ArrayExpression") add(argument.start, argument.end, "[]");
    },
  }).visit(parsed(file, source));
  return found
    .filter((mutation) => !ignored.some((range) => contains(range, mutation)))
    .filter(({ start, end, replacement }) => source.slice(start, end) !== replacement)
    .sort((a, b) => a.start - b.start);
}

/** A function of a source and its body, which is a block or an expression. */
export interface FoundFunction extends Range {
  readonly body: Range & { readonly isBlock: boolean };
}

/** Returns all functions of a source. Shape: ascending, each before the functions that it contains. */
export function functionsOf(file: string, source: string): FoundFunction[] {
  const found: FoundFunction[] = [];
  const add = ({ start, end, body }: Range & { body: (Range & { type: string }) | null }) => {
    if (body) found.push({ start, end, body: { start: body.start, end: body.end, isBlock: isBlock(body.type) } });
  };
  new Visitor({ FunctionDeclaration: add, FunctionExpression: add, ArrowFunctionExpression: add }).visit(
    parsed(file, source),
  );
  return found.sort((a, b) => a.start - b.start || b.end - a.end);
}

export function contains(outer: Range, inner: Range): boolean {
  return outer.start <= inner.start && inner.end <= outer.end;
}

function isBlock(type: string): boolean {
  return type === "BlockStatement" || type === "FunctionBody";
}

function parsed(file: string, source: string) {
  const { program, errors } = parseSync(file, source);
  if (errors.length > 0) throw new Error(`${file} cannot be parsed: ${errors[0]?.message}`);
  return program;
}
