/** Small defects that a test should detect, and the places in a source where each is possible. */
import { parseSync, Visitor } from "rolldown/utils";

export interface Mutation {
  /** Position in the source. */
  readonly start: number;
  readonly end: number;
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

/** Returns all mutations of a source. Shape: one per place, ascending. */
export function mutationsOf(file: string, source: string): Mutation[] {
  const { program, errors } = parseSync(file, source);
  if (errors.length > 0) throw new Error(`${file} cannot be parsed: ${errors[0]?.message}`);
  const found: Mutation[] = [];
  const types: { readonly start: number; readonly end: number }[] = [];
  const add = (start: number, end: number, replacement: string) => found.push({ start, end, replacement });
  const operator = (left: { end: number }, right: { start: number }, symbol: string) => {
    const at = source.indexOf(symbol, left.end);
    const other = OPERATORS[symbol];
    if (other !== undefined && at < right.start) add(at, at + symbol.length, other);
  };
  new Visitor({
    TSLiteralType: ({ start, end }) => types.push({ start, end }),
    BinaryExpression: ({ left, right, operator: symbol }) => operator(left, right, symbol),
    LogicalExpression: ({ left, right, operator: symbol }) => operator(left, right, symbol),
    UnaryExpression({ operator: symbol, start, argument }) {
      if (symbol === "!") add(start, argument.start, "");
    },
    ConditionalExpression({ test, consequent, alternate, end }) {
      const [yes, no] = [consequent, alternate].map(({ start, end }) => source.slice(start, end));
      add(test.end, end, ` ? ${no} : ${yes}`);
    },
    IfStatement: ({ test }) => add(test.start, test.end, "false"),
    Literal({ value, start, end }) {
      if (typeof value === "boolean") add(start, end, String(!value));
      else if (typeof value === "number") add(start, end, String(value + 1));
    },
    ExpressionStatement({ expression, start, end }) {
      if (expression.type === "CallExpression") add(start, end, ";");
    },
    ReturnStatement({ argument }) {
      if (argument?.type === "ArrayExpression") add(argument.start, argument.end, "[]");
    },
  }).visit(program);
  return found
    .filter(({ start, end }) => !types.some((type) => type.start <= start && end <= type.end))
    .filter(({ start, end, replacement }) => source.slice(start, end) !== replacement)
    .sort((a, b) => a.start - b.start);
}
