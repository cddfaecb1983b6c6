//! The two macros that every model's configuration and fitted value are made with: setters and getters.

/// Setters of a closed configuration, by value.
///
/// `name: Type` sets the field of that name, `name => field: Type` another one; `into Type` takes whatever converts.
macro_rules! setters {
    ($model:ident $(<$($param:ident),+>)? { $($body:tt)* }) => {
        impl $(<$($param),+>)? $model $(<$($param),+>)? { $crate::configure::setter!($($body)*); }
    };
}

macro_rules! setter {
    () => {};
    ($(#[$doc:meta])* $name:ident: into $type:ty, $($rest:tt)*) => {
        $crate::configure::setter!($(#[$doc])* $name => $name: into $type, $($rest)*);
    };
    ($(#[$doc:meta])* $name:ident: $type:ty, $($rest:tt)*) => {
        $crate::configure::setter!($(#[$doc])* $name => $name: $type, $($rest)*);
    };
    ($(#[$doc:meta])* $name:ident => $($field:ident).+: into $type:ty, $($rest:tt)*) => {
        $(#[$doc])*
        #[must_use]
        pub fn $name(mut self, $name: impl Into<$type>) -> Self {
            self.$($field).+ = $name.into();
            self
        }
        $crate::configure::setter!($($rest)*);
    };
    ($(#[$doc:meta])* $name:ident => $($field:ident).+: $type:ty, $($rest:tt)*) => {
        $(#[$doc])*
        #[must_use]
        pub fn $name(mut self, $name: $type) -> Self {
            self.$($field).+ = $name;
            self
        }
        $crate::configure::setter!($($rest)*);
    };
}

/// Getters of a closed fitted value: `name: &Type` borrows the field of that name, `name: Type` copies it; `name =>
/// field.of.field: ...` reads another one.
macro_rules! getters {
    ($model:ident $(<$($param:ident $(: $bound:path)?),+>)? { $($body:tt)* }) => {
        impl $(<$($param $(: $bound)?),+>)? $model $(<$($param),+>)? {
            $crate::configure::getter!($($body)*);
        }
    };
}

macro_rules! getter {
    () => {};
    ($(#[$doc:meta])* $name:ident: & $type:ty, $($rest:tt)*) => {
        $crate::configure::getter!($(#[$doc])* $name => $name: & $type, $($rest)*);
    };
    ($(#[$doc:meta])* $name:ident: $type:ty, $($rest:tt)*) => {
        $crate::configure::getter!($(#[$doc])* $name => $name: $type, $($rest)*);
    };
    ($(#[$doc:meta])* $name:ident => $($field:ident).+: & $type:ty, $($rest:tt)*) => {
        $(#[$doc])*
        pub fn $name(&self) -> &$type {
            &self.$($field).+
        }
        $crate::configure::getter!($($rest)*);
    };
    ($(#[$doc:meta])* $name:ident => $($field:ident).+: $type:ty, $($rest:tt)*) => {
        $(#[$doc])*
        pub fn $name(&self) -> $type {
            self.$($field).+
        }
        $crate::configure::getter!($($rest)*);
    };
}

pub(crate) use {getter, getters, setter, setters};
