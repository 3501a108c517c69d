/**
 * Schemas of bodies and responses. Types, checks and the OpenAPI document are made from them.
 * Subjects define theirs as functions: making all of them takes 10 ms and 0.6 MB, and most daemons never need them.
 */

import * as z from "zod/mini";
import type { Expected } from "../config/schema/values.ts";

export type Schema = z.ZodMiniType;

type ReadOnly<Value> = Value extends readonly (infer Item)[]
  ? readonly ReadOnly<Item>[]
  : Value extends object
    ? { readonly [Name in keyof Value]: ReadOnly<Value[Name]> }
    : Value;

/** Value of a schema, or of the schema that a function returns. */
export type ValueOf<Given> = Given extends () => infer Made ? ReadOnly<z.infer<Made>> : ReadOnly<z.infer<Given>>;

export const text = z.string();
export const boolean = z.boolean();
export const number = z.number();
export const integer = z.int();
export const instant = z.iso.datetime();
/** Fields of an interval. */
export const period = { start: instant, end: instant } as const;
/** Instant in local time, with its offset. */
export const instantWithOffset = z.iso.datetime({ offset: true });
export const percent = described(integer.check(z.minimum(0), z.maximum(100)), "Percent.");
export const localTime = z.string().check(z.regex(/^([01]\d|2[0-3]):[0-5]\d$/));
export const anyObject = z.record(z.string(), z.unknown());
export const anyValue = z.unknown();
export const perKwh = described(number, "Currency per kWh.");
export const money = described(number, "Currency.");

/** Text of a pattern. `expected` is the reason of an error. */
export const pattern = (form: RegExp, expected: Expected) => z.string(expected).check(z.regex(form, expected));

export const orNull = z.nullable;
export const optional = z.optional;
export const list = z.array;
export const nothing = z.null();
export const union = z.union;
/** Values that fit exactly one of some schemas. */
export const oneFitting = z.xor;
export const oneOf = z.enum;

/** Object with these fields; later versions may add some. */
export const object = z.object;
export const strictObject = z.strictObject;
/** Object with these fields and others, which a client need not know. */
export const looseObject = z.looseObject;

/** Returns a schema that accepts no members that it does not name, at every depth. Loose objects and records stay. */
export function strict<Given extends Schema>(schema: Given): Given {
  const def = schema._zod.def as Partial<Record<"element" | "innerType" | "valueType" | "catchall", Schema>> & {
    readonly shape?: Readonly<Record<string, Schema>>;
    readonly options?: readonly Schema[];
  };
  const parts = {
    ...(def.shape && {
      shape: Object.fromEntries(Object.entries(def.shape).map(([name, each]) => [name, strict(each)])),
      catchall: def.catchall ?? z.never(),
    }),
    ...(def.options && { options: def.options.map(strict) }),
    ...(def.element && { element: strict(def.element) }),
    ...(def.innerType && { innerType: strict(def.innerType) }),
    ...(def.valueType && { valueType: strict(def.valueType) }),
  };
  if (Object.keys(parts).length === 0) return schema;
  const copy = schema.clone({ ...schema._zod.def, ...parts } as typeof schema._zod.def);
  z.globalRegistry.add(copy, z.globalRegistry.get(schema) ?? {});
  return copy as Given;
}

export function recordOf<Value extends Schema>(value: Value) {
  return z.record(z.string(), value);
}

/** Adds a name to a schema; generated clients use it for its type. Two schemas with the same name must be equal. */
export function named<Given extends Schema>(title: string, schema: Given): Given {
  return noted(schema, { title });
}

export function namedObject<Fields extends z.core.$ZodLooseShape>(title: string, fields: Fields) {
  return named(title, object(fields));
}

export function described<Given extends Schema>(schema: Given, description: string): Given {
  return noted(schema, { description });
}

/** Adds keywords of JSON Schema that do not change what the schema accepts here. */
export function noted<Given extends Schema>(schema: Given, keywords: z.core.GlobalMeta): Given {
  const known = z.globalRegistry.get(schema);
  const copy = schema.clone();
  z.globalRegistry.add(copy, { ...known, ...keywords });
  return copy as Given;
}
