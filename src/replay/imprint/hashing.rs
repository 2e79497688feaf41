//! A serializer that hashes a value into three hashes (content, names, drift) without building a text.

use std::fmt::Error;
use std::hash::{DefaultHasher, Hasher};

use serde::Serialize;
use serde::ser::{
    SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple, SerializeTupleStruct,
    SerializeTupleVariant, Serializer,
};

use super::{Class, Drifting};

/// Hashed before each value, so that different structures do not collide.
#[derive(Clone, Copy)]
enum ValueTag {
    None = 1,
    Some,
    Bool,
    Signed,
    Unsigned,
    Float,
    Text,
    Bytes,
    Unit,
    Variant,
    Begin,
    End,
    Key,
}

pub struct Hashing<'d> {
    drifting: &'d Drifting,
    /// Content, names, drift. Everything inside a name or a drifting member belongs to its class, too.
    hashers: [DefaultHasher; 3],
    class: Class,
}

impl<'d> Hashing<'d> {
    pub fn new(drifting: &'d Drifting) -> Self {
        let hashers = std::array::from_fn(|_| DefaultHasher::new());
        Hashing { drifting, hashers, class: Class::Content }
    }

    pub fn finish(&self) -> [u64; 3] {
        [0, 1, 2].map(|class: usize| self.hashers[class].finish())
    }

    fn hasher(&mut self) -> &mut DefaultHasher {
        &mut self.hashers[self.class as usize]
    }

    fn mark(&mut self, mark: ValueTag) {
        self.hasher().write_u8(mark as u8);
    }

    fn number(&mut self, mark: ValueTag, number: u64) -> Result<(), Error> {
        self.mark(mark);
        self.hasher().write_u64(number);
        Ok(())
    }

    fn bytes(&mut self, mark: ValueTag, bytes: &[u8]) {
        self.mark(mark);
        self.hasher().write_u64(bytes.len() as u64);
        self.hasher().write(bytes);
    }

    fn begin(&mut self) -> Result<&mut Self, Error> {
        self.mark(ValueTag::Begin);
        Ok(self)
    }

    fn begin_variant(&mut self, name: &str) -> Result<&mut Self, Error> {
        self.bytes(ValueTag::Variant, name.as_bytes());
        self.begin()
    }

    fn member(&mut self, name: &str, value: &(impl Serialize + ?Sized)) -> Result<(), Error> {
        let around = self.class;
        if around == Class::Content {
            self.class = self.drifting.class(name);
        }
        self.bytes(ValueTag::Key, name.as_bytes());
        let written = value.serialize(&mut *self);
        self.class = around;
        written
    }

    fn end(&mut self) -> Result<(), Error> {
        self.mark(ValueTag::End);
        Ok(())
    }
}

impl Serializer for &mut Hashing<'_> {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Self;
    type SerializeTuple = Self;
    type SerializeTupleStruct = Self;
    type SerializeTupleVariant = Self;
    type SerializeMap = Self;
    type SerializeStruct = Self;
    type SerializeStructVariant = Self;

    fn serialize_bool(self, value: bool) -> Result<(), Error> {
        self.number(ValueTag::Bool, u64::from(value))
    }

    fn serialize_i8(self, value: i8) -> Result<(), Error> {
        self.serialize_i64(value.into())
    }

    fn serialize_i16(self, value: i16) -> Result<(), Error> {
        self.serialize_i64(value.into())
    }

    fn serialize_i32(self, value: i32) -> Result<(), Error> {
        self.serialize_i64(value.into())
    }

    fn serialize_i64(self, value: i64) -> Result<(), Error> {
        // A number has the same hash, whatever the width of its type.
        match u64::try_from(value) {
            Ok(value) => self.number(ValueTag::Unsigned, value),
            Err(_) => self.number(ValueTag::Signed, value.cast_unsigned()),
        }
    }

    fn serialize_u8(self, value: u8) -> Result<(), Error> {
        self.number(ValueTag::Unsigned, value.into())
    }

    fn serialize_u16(self, value: u16) -> Result<(), Error> {
        self.number(ValueTag::Unsigned, value.into())
    }

    fn serialize_u32(self, value: u32) -> Result<(), Error> {
        self.number(ValueTag::Unsigned, value.into())
    }

    fn serialize_u64(self, value: u64) -> Result<(), Error> {
        self.number(ValueTag::Unsigned, value)
    }

    fn serialize_f32(self, value: f32) -> Result<(), Error> {
        self.serialize_f64(value.into())
    }

    fn serialize_f64(self, value: f64) -> Result<(), Error> {
        self.number(ValueTag::Float, value.to_bits())
    }

    fn serialize_char(self, value: char) -> Result<(), Error> {
        self.serialize_str(value.encode_utf8(&mut [0; 4]))
    }

    fn serialize_str(self, value: &str) -> Result<(), Error> {
        self.bytes(ValueTag::Text, value.as_bytes());
        Ok(())
    }

    fn serialize_bytes(self, value: &[u8]) -> Result<(), Error> {
        self.bytes(ValueTag::Bytes, value);
        Ok(())
    }

    fn serialize_none(self) -> Result<(), Error> {
        self.mark(ValueTag::None);
        Ok(())
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Error> {
        self.mark(ValueTag::Some);
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), Error> {
        self.mark(ValueTag::Unit);
        Ok(())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), Error> {
        self.serialize_unit()
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<(), Error> {
        self.bytes(ValueTag::Variant, variant.as_bytes());
        Ok(())
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Result<(), Error> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), Error> {
        self.bytes(ValueTag::Variant, variant.as_bytes());
        value.serialize(self)
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Self, Error> {
        self.begin()
    }

    fn serialize_tuple(self, _: usize) -> Result<Self, Error> {
        self.begin()
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Self, Error> {
        self.begin()
    }

    fn serialize_tuple_variant(self, _: &'static str, _: u32, name: &'static str, _: usize) -> Result<Self, Error> {
        self.begin_variant(name)
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Self, Error> {
        self.begin()
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Self, Error> {
        self.begin()
    }

    fn serialize_struct_variant(self, _: &'static str, _: u32, name: &'static str, _: usize) -> Result<Self, Error> {
        self.begin_variant(name)
    }
}

macro_rules! lists {
    ($($trait:ident $element:ident),*) => {$(
        impl $trait for &mut Hashing<'_> {
            type Ok = ();
            type Error = Error;

            fn $element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
                value.serialize(&mut **self)
            }

            fn end(self) -> Result<(), Error> {
                Hashing::end(self)
            }
        }
    )*};
}

lists! {
    SerializeSeq serialize_element,
    SerializeTuple serialize_element,
    SerializeTupleStruct serialize_field,
    SerializeTupleVariant serialize_field
}

macro_rules! structs {
    ($($trait:ident),*) => {$(
        impl $trait for &mut Hashing<'_> {
            type Ok = ();
            type Error = Error;

            fn serialize_field<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) -> Result<(), Error> {
                self.member(key, value)
            }

            fn end(self) -> Result<(), Error> {
                Hashing::end(self)
            }
        }
    )*};
}

structs! { SerializeStruct, SerializeStructVariant }

impl SerializeMap for &mut Hashing<'_> {
    type Ok = ();
    type Error = Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Error> {
        self.mark(ValueTag::Key);
        key.serialize(&mut **self)
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        value.serialize(&mut **self)
    }

    fn serialize_entry<K: Serialize + ?Sized, V: Serialize + ?Sized>(
        &mut self,
        key: &K,
        value: &V,
    ) -> Result<(), Error> {
        // Only a string can be the name of a member; a key of another type is part of the content.
        match key.serialize(serde_json::value::Serializer) {
            Ok(serde_json::Value::String(name)) => self.member(&name, value),
            _ => {
                self.serialize_key(key)?;
                self.serialize_value(value)
            }
        }
    }

    fn end(self) -> Result<(), Error> {
        Hashing::end(self)
    }
}
